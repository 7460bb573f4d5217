import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useEffect } from 'react'
import { t } from 'i18next'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api, client, queryClient } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { useCurrentAgent } from '#lib/agents/current-agent.ts'
import { setBindings } from '#lib/util/shortcuts.ts'
import { useMedia } from '#lib/util/use-media.ts'
import { paths, useParameters } from '#lib/router/paths.ts'
import { Skeleton } from '#lib/ui/states.tsx'
import { Toasts } from '#lib/ui/toasts.tsx'
import type { Agent, Appearance, RecoveredChange } from '#shared/contract/index.ts'
import { runWithErrorToast, showSticky } from '#lib/feedback/toast.ts'
import { applyLocale } from '#lib/i18n/index.ts'
import { ImportNotice } from '../settings/import/import-notice.tsx'
import { MoveNotice } from '../editor/links/move-notice.tsx'
import { Onboarding } from './onboarding/onboarding.tsx'
import { Workbench } from './workbench.tsx'
import { CaptureCard } from './capture-card.tsx'
import { formatBatchNames, undoBatchWithToast } from '../editor/history/revert-change.ts'

export function App() {
  // `t` of i18next is a plain function: this rerenders everything in a new language. Memoized components call it, too.
  useTranslation()
  const settings = useQuery(api.settings.get.queryOptions())
  const agents = useQuery(api.agents.list.queryOptions())
  const hasQuestions = (useQuery(api.clients.questions.queryOptions()).data ?? []).length > 0
  const theme = useAppearance(settings.data?.appearance)
  const [location] = useLocation()
  // Cached data stays visible while the runtime restarts.
  const error = settings.data && agents.data ? undefined : (settings.error ?? agents.error)
  setBindings(settings.data?.shortcuts ?? {})
  const agent = useCurrentAgent(agents.data ?? [])
  if (error)
    return <ErrorState error={error} onRetry={() => void Promise.all([settings.refetch(), agents.refetch()])} />
  if (!settings.data || !agent) return <Skeleton />
  return (
    <>
      {settings.data.firstRun || !agent.ready ? (
        <Onboarding
          agent={agent}
          suggested={settings.data.firstRun ? settings.data.suggestedWorkspace : agent.workspace}
        />
      ) : location === paths.capture() ? (
        <CaptureView agents={agents.data ?? []} />
      ) : (
        <>
          <Workbench key={agent.id} agent={agent} agents={agents.data ?? []} />
          <BackgroundChangeNotice agent={agent.id} />
          <ImportNotice agent={agent.id} />
          <MoveNotice agent={agent.id} />
        </>
      )}
      {/* Toasts must not cover a question to the user. */}
      <Toasts theme={theme} position={hasQuestions ? 'top-right' : 'bottom-right'} />
    </>
  )
}

function CaptureView({ agents }: { agents: readonly Agent[] }) {
  const text = useParameters().get('text') ?? undefined
  return (
    <main className="flex h-full items-center justify-center p-0 sm:p-4">
      <div className="w-full max-w-[520px]">
        <CaptureCard
          agents={agents}
          initialText={text}
          isExternal={text !== undefined}
          onClose={() => window.close()}
        />
      </div>
    </main>
  )
}

function useAppearance(appearance: Appearance | undefined): 'light' | 'dark' {
  const systemIsDark = useMedia('(prefers-color-scheme: dark)')
  const chosen = appearance?.theme ?? 'system'
  const theme = chosen === 'system' ? (systemIsDark ? 'dark' : 'light') : chosen
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  const locale = appearance?.locale
  useEffect(() => {
    if (locale) void runWithErrorToast(applyLocale(locale))
  }, [locale])
  return theme
}

function BackgroundChangeNotice({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const ended = useQuery(api.health.ended.queryOptions({ input: { agent } })).data
  useEffect(() => {
    // Unmounting also dismisses the toasts, which must not mark the changes as seen.
    let isShown = true
    for (const recovered of ended ?? []) {
      const { id, kind, notes, change } = recovered
      showSticky(notes === 0 ? t('ended.moveAlone') : t(`ended.${kind}`, { count: notes }), {
        id,
        description: describeChange(recovered),
        undo: change === null ? undefined : () => undoBatchWithToast(agent, change, recovered),
        link: { label: t('changes.title'), go: () => navigate(paths.changes()) },
        onDismiss: () => void (isShown && runWithErrorToast(markSeen(agent, id))),
      })
    }
    // Runs when another window has marked the changes as seen, or another agent is shown.
    return () => {
      isShown = false
      for (const { id } of ended ?? []) toast.dismiss(id)
    }
  }, [agent, ended, navigate, t])
  return null
}

function describeChange(change: RecoveredChange): string {
  const { from, to } = formatBatchNames(change)
  return [
    ...(change.from === '' ? [] : [`${from} → ${to}`]),
    ...(change.left > 0 ? [t('changes.replacedLeft', { count: change.left })] : []),
  ].join(' · ')
}

async function markSeen(agent: string, id: string): Promise<void> {
  await client.health.endedSeen({ agent, id })
  await queryClient.invalidateQueries({ queryKey: api.health.ended.key() })
}
