import { t } from 'i18next'
import { useMutation } from '@tanstack/react-query'
import { EyeOff } from 'lucide-react'
import type { IndexExclusion } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { paths } from '#lib/router/paths.ts'
import { Button, TextLink } from '#lib/ui/button.tsx'

export function NotIndexedBadge({ unsearched }: { unsearched: IndexExclusion }) {
  const reason = t(`unsearched.${unsearched.reason}`, { message: unsearched.message ?? '' })
  return (
    <span role="img" aria-label={reason} title={reason} data-testid="unsearched" className="inline-flex text-faint">
      <EyeOff size={12} aria-hidden />
    </span>
  )
}

export function NotIndexedNote({ agent, unsearched }: { agent: string; unsearched: IndexExclusion }) {
  const { reason, message = '' } = unsearched
  return (
    <span data-testid="unsearched-note" data-reason={reason} className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <span>{t(`unsearched.${reason}`, { message })}</span>
      {reason === 'scope' && <IndexAllButton agent={agent} />}
      {reason === 'sessionsOff' && <SearchSessionsButton agent={agent} />}
      {reason === 'outside' && <TextLink href={paths.settings('memory')}>{t('unsearched.addFolder')}</TextLink>}
    </span>
  )
}

export function IndexAllButton({ agent }: { agent: string }) {
  const extendScope = useMutation(
    api.search.setScope.mutationOptions({
      onSuccess: (scope) => showSuccess(t('unsearched.nowAll'), () => client.search.setScope({ agent, scope })),
    }),
  )
  return (
    <Button disabled={extendScope.isPending} onClick={() => extendScope.mutate({ agent, scope: 'workspace' })}>
      {t('unsearched.searchAll')}
    </Button>
  )
}

function SearchSessionsButton({ agent }: { agent: string }) {
  const enableSessions = useMutation(
    api.search.setSessions.mutationOptions({
      onSuccess: (sessions) =>
        showSuccess(t('unsearched.nowSessions'), () => client.search.setSessions({ agent, sessions })),
    }),
  )
  return (
    <Button disabled={enableSessions.isPending} onClick={() => enableSessions.mutate({ agent, sessions: true })}>
      {t('setting.memory_sessions')}
    </Button>
  )
}
