import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { Lock, EyeOff } from 'lucide-react'
import type { FileEntry, IndexExclusion } from '#shared/contract/index.ts'
import { useAgent } from '../agents/current-agent.ts'
import { api, client } from '../api/client.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { paths } from '#lib/router/paths.ts'
import { Button, TextLink } from '#lib/ui/elements.tsx'

type NotePrivacy = NonNullable<FileEntry['privacy']>

interface PrivateMarkProps {
  readonly label: string
  readonly isPart?: boolean
  readonly className?: string
}

export function PrivateMark({ label, isPart = false, className = '' }: PrivateMarkProps) {
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      data-testid="private"
      className={`inline-flex shrink-0 self-center ${isPart ? 'text-faint' : 'text-muted'} ${className}`}
    >
      <Lock size={11} aria-hidden />
    </span>
  )
}

export function NoteMark({ privacy, className = '' }: { privacy: NotePrivacy; className?: string }) {
  const { isWhole, rule, problem } = privacy
  const label =
    problem !== undefined
      ? t('private.problem', { value: problem })
      : rule !== undefined
        ? t('private.rule', { rule })
        : t(isWhole ? 'private.whole' : 'private.part')
  return <PrivateMark label={label} isPart={!isWhole} className={className} />
}

/** Shows the lock of the note or chat at a path of the workspace; nothing if it is open. */
export function PlaceMark({ path }: { path: string }) {
  const { id: agent } = useAgent()
  const session = sessionOfPath(path)
  const privacy = useQuery(
    api.workspace.list.queryOptions({
      input: { agent },
      enabled: session === undefined,
      select: (files) => files.find((file) => file.path === path)?.privacy,
    }),
  ).data
  const isPrivateChat = useQuery(
    api.chats.list.queryOptions({
      input: { agent },
      enabled: session !== undefined,
      select: (sessions) => sessions.find(({ id }) => id === session)?.isPrivate === true,
    }),
  ).data
  if (privacy) return <NoteMark privacy={privacy} className="mr-1" />
  return isPrivateChat && <PrivateMark label={t('chats.private')} className="mr-1" />
}

export function NotIndexedBadge({ unsearched }: { unsearched: IndexExclusion }) {
  const reason = t(`unsearched.${unsearched.reason}`, { message: unsearched.message ?? '' })
  return (
    <span role="img" aria-label={reason} title={reason} data-testid="unsearched" className="inline-flex text-faint">
      <EyeOff size={12} aria-hidden />
    </span>
  )
}

export function NotIndexedNote({ unsearched }: { unsearched: IndexExclusion }) {
  const { reason, message = '' } = unsearched
  return (
    <span data-testid="unsearched-note" data-reason={reason} className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <span>{t(`unsearched.${reason}`, { message })}</span>
      {reason === 'scope' && <IndexAllButton />}
      {reason === 'sessionsOff' && <SearchSessionsButton />}
      {reason === 'outside' && <TextLink href={paths.settings('memory')}>{t('unsearched.addFolder')}</TextLink>}
    </span>
  )
}

export function IndexAllButton() {
  const { id: agent } = useAgent()
  const extendScope = async () => {
    const scope = await client.search.setScope({ agent, scope: 'workspace' })
    showSuccess(t('unsearched.nowAll'), () => client.search.setScope({ agent, scope }))
  }
  return <Button onClick={() => void runWithErrorToast(extendScope())}>{t('unsearched.searchAll')}</Button>
}

function SearchSessionsButton() {
  const { id: agent } = useAgent()
  const enableSessions = async () => {
    const sessions = await client.search.setSessions({ agent, sessions: true })
    showSuccess(t('unsearched.nowSessions'), () => client.search.setSessions({ agent, sessions }))
  }
  return <Button onClick={() => void runWithErrorToast(enableSessions())}>{t('setting.memory_sessions')}</Button>
}
