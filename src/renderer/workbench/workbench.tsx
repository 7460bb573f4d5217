/** The frame: sidebar, the open view, status bar; and what is above all of them: palette, capture, hints. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { Agent } from '../../shared/contract/index.ts'
import { api, goToEvent } from '../api/index.ts'
import { CaptureDialog } from '../capture/capture-dialog.tsx'
import { SelectionActions } from '../capture/selection-actions.tsx'
import { Tour } from '../onboarding/tour.tsx'
import { CommandPalette } from './command-palette.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { useShortcuts } from '../ui/keys.ts'
import { paths, sessionAt, usePlace } from '../navigate.ts'
import { Sidebar } from './sidebar.tsx'
import { StatusBar } from './status-bar.tsx'
import { commandKeys } from '../command-keys.ts'
import { Views } from './views.tsx'

export function Workbench({ agent, agents }: { agent: Agent; agents: readonly Agent[] }) {
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
  const session = sessionAt(place)
  const stop = useMutation(api.chat.stop.mutationOptions())
  useShortcuts({
    [commandKeys.palette]: () => setPalette((open) => (open === 'closed' ? 'all' : 'closed')),
    [commandKeys.goToFile]: () => setPalette('files'),
    [commandKeys.search]: () => navigate(paths.search()),
    [commandKeys.findInFiles]: () => navigate(paths.find()),
    [commandKeys.newChat]: () => navigate(paths.chat()),
    [commandKeys.sidebar]: () => setHasSidebar((visible) => !visible),
    [commandKeys.stop]: () => {
      if (session !== undefined) stop.mutate({ agent: agent.id, session })
    },
    [commandKeys.capture]: () => setCapturing({ text: undefined }),
    [commandKeys.settings]: () => navigate(paths.settings()),
    [commandKeys.chat]: () => navigate(paths.chat(session)),
    [commandKeys.searchView]: () => navigate(paths.search()),
    [commandKeys.context]: () => navigate(paths.context(session)),
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
            <Views agent={agent} place={place} />
          </ErrorBoundary>
        </main>
      </div>
      <ErrorBoundary piece="part" of={place}>
        <StatusBar agent={agent} session={session} />
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
