/** The frame: sidebar, the open view, status bar; and what is above all of them: palette, toasts, first start. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Toaster } from 'sonner'
import { Route, Switch, useLocation } from 'wouter'
import type { Agent, Appearance } from '../shared/contract/index.ts'
import { api, goToEvent } from './api/index.ts'
import { ErrorState } from './feedback/index.ts'
import { ChatView } from './chat/chat-view.tsx'
import { useCurrentAgent } from './agents/current-agent.ts'
import { CaptureDialog } from './capture/capture-dialog.tsx'
import { SelectionActions } from './capture/selection-actions.tsx'
import { CaptureView } from './capture/capture-view.tsx'
import { ChangesView } from './history/changes-view.tsx'
import { ContextView } from './context/context-view.tsx'
import { applyLocale } from './i18n/index.ts'
import { FindView } from './workspace/find-view.tsx'
import { FileView } from './workspace/file-view.tsx'
import { Onboarding } from './onboarding/onboarding.tsx'
import { Tour } from './onboarding/tour.tsx'
import { ChecksView } from './checks/checks-view.tsx'
import { MapView } from './survey/map-view.tsx'
import { RecallsView } from './search/recalls-view.tsx'
import { SearchView } from './search/search-view.tsx'
import { SettingsView } from './settings/settings-view.tsx'
import { CommandPalette } from './workbench/command-palette.tsx'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { setBindings, useShortcuts } from './ui/keys.ts'
import { fileAt, paths, sessionAt, useParameters, usePlace } from './navigate.ts'
import { Sidebar } from './workbench/sidebar.tsx'
import { Skeleton } from './ui/states.tsx'
import { StatusBar } from './workbench/status-bar.tsx'

export function App() {
  const settings = useQuery(api.settings.get.queryOptions())
  const agents = useQuery(api.agents.list.queryOptions())
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
        <Workbench key={agent.id} agent={agent} agents={agents.data ?? []} />
      )}
      <Toaster theme={theme} position="top-right" offset={52} />
    </>
  )
}

function Workbench({ agent, agents }: { agent: Agent; agents: readonly Agent[] }) {
  const [capturing, setCapturing] = useState<{ text: string | undefined }>()
  const [hasSidebar, setHasSidebar] = useState(true)
  const [palette, setPalette] = useState<'closed' | 'all' | 'files'>('closed')
  const [, navigate] = useLocation()
  const place = usePlace()
  useEffect(() => {
    const onGo = (event: Event) => navigate((event as CustomEvent<string>).detail)
    addEventListener(goToEvent, onGo)
    return () => removeEventListener(goToEvent, onGo)
  }, [navigate])
  const parameters = useParameters()
  const session = sessionAt(place)
  const stop = useMutation(api.chat.stop.mutationOptions())
  useShortcuts({
    'Mod+K': () => setPalette((open) => (open === 'closed' ? 'all' : 'closed')),
    'Mod+P': () => setPalette('files'),
    'Mod+Shift+F': () => navigate(paths.search()),
    'Mod+Shift+H': () => navigate(paths.find()),
    'Mod+N': () => navigate(paths.chat()),
    'Mod+B': () => setHasSidebar((visible) => !visible),
    'Mod+.': () => {
      if (session !== undefined) stop.mutate({ agent: agent.id, session })
    },
    'Mod+Shift+Space': () => setCapturing({ text: undefined }),
    'Mod+,': () => navigate(paths.settings()),
    'Mod+1': () => navigate(paths.chat(session)),
    'Mod+3': () => navigate(paths.search()),
    'Mod+4': () => navigate(paths.context(session)),
  })
  return (
    <div className="flex h-full flex-col" style={{ '--agent': agent.color } as React.CSSProperties}>
      <div className="flex min-h-0 flex-1">
        {hasSidebar && (
          <ErrorBoundary piece="part" of={place}>
            <Sidebar agent={agent} onPalette={() => setPalette('all')} />
          </ErrorBoundary>
        )}
        <main className="flex min-w-0 flex-1">
          <ErrorBoundary piece="view" look="view" of={place}>
            <Switch>
              <Route path="/chat/:session">
                {(params) => <ChatView key={params.session} agent={agent} session={params.session} />}
              </Route>
              {/* Not `/file/*`, which ends at a line break: a name may have one. */}
              <Route path={/^\/file\/[^]/}>
                {() => <FileView key={fileAt(place)} agent={agent} path={fileAt(place) ?? ''} />}
              </Route>
              <Route path="/search">
                <SearchView
                  agent={agent}
                  initialQuery={parameters.get('q') ?? ''}
                  initialWhy={parameters.get('why') ?? ''}
                />
              </Route>
              <Route path="/search/recalls">
                <RecallsView agent={agent} message={parameters.get('message') ?? undefined} />
              </Route>
              <Route path="/search/map">
                <MapView agent={agent} />
              </Route>
              <Route path="/search/checks">
                <ChecksView agent={agent} />
              </Route>
              <Route path="/find">
                <FindView agent={agent} />
              </Route>
              <Route path="/changes">
                <ChangesView agent={agent} />
              </Route>
              <Route path="/settings">
                <SettingsView agent={agent} />
              </Route>
              <Route path="/context/:session">
                {(params) => <ContextView agent={agent} session={params.session} />}
              </Route>
              <Route path="/context">
                <ContextView agent={agent} />
              </Route>
              <Route>
                <ChatView agent={agent} />
              </Route>
            </Switch>
          </ErrorBoundary>
        </main>
      </div>
      <ErrorBoundary piece="part" of={place}>
        <StatusBar agent={agent} session={session} onPalette={() => setPalette('all')} />
      </ErrorBoundary>
      <ErrorBoundary piece="part" of={place}>
        <Tour />
        <SelectionActions onCapture={(text) => setCapturing({ text })} />
      </ErrorBoundary>
      <ErrorBoundary piece="part" of={capturing}>
        {capturing && <CaptureDialog agents={agents} text={capturing.text} onClose={() => setCapturing(undefined)} />}
      </ErrorBoundary>
      <ErrorBoundary piece="part" of={palette}>
        <CommandPalette
          onCapture={() => setCapturing({ text: undefined })}
          agent={agent}
          session={session}
          mode={palette}
          onClose={() => setPalette('closed')}
        />
      </ErrorBoundary>
    </div>
  )
}

/** Puts theme and language into force. @returns the theme as it is shown */
function useAppearance(appearance: Appearance | undefined): 'light' | 'dark' {
  const [systemIsDark, setSystemIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const onChange = () => setSystemIsDark(media.matches)
    media.addEventListener('change', onChange)
    return () => media.removeEventListener('change', onChange)
  }, [])
  const chosen = appearance?.theme ?? 'system'
  const theme = chosen === 'system' ? (systemIsDark ? 'dark' : 'light') : chosen
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  const locale = appearance?.locale
  useEffect(() => {
    if (locale) applyLocale(locale)
  }, [locale])
  return theme
}
