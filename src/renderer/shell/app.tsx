/** What the window shows: the first start, quick capture, or the workbench of the agent that was open last. */
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { useCurrentAgent } from '#lib/agents/current-agent.ts'
import { CaptureView } from './capture/capture-view.tsx'
import { EndedNotice } from './ended-notice.tsx'
import { ImportNotice } from '../settings/import/import-notice.tsx'
import { MoveNotice } from '../editor/links/move-notice.tsx'
import { Onboarding } from './onboarding/onboarding.tsx'
import { setBindings } from '#lib/util/shortcuts.ts'
import { paths } from '#lib/router/paths.ts'
import { Skeleton } from '#lib/ui/states.tsx'
import { Toasts } from '#lib/ui/toasts.tsx'
import { useAppearance } from './use-appearance.ts'
import { Workbench } from './workbench.tsx'

export function App() {
  const settings = useQuery(api.settings.get.queryOptions())
  const agents = useQuery(api.agents.list.queryOptions())
  const isAsked = (useQuery(api.clients.questions.queryOptions()).data ?? []).length > 0
  const theme = useAppearance(settings.data?.appearance)
  const [location] = useLocation()
  // What was there stays there while the runtime is gone for a moment.
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
          <EndedNotice agent={agent.id} />
          <ImportNotice agent={agent.id} />
          <MoveNotice agent={agent.id} />
        </>
      )}
      {/* What asks the user stays uncovered. */}
      <Toasts theme={theme} position={isAsked ? 'top-right' : 'bottom-right'} />
    </>
  )
}
