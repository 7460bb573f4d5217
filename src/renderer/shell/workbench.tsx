/** The frame: sidebar, the open view, status bar; and what is above all of them: palette, capture, hints. */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { goToEvent } from '#lib/api/event-stream.ts'
import { CaptureDialog } from './capture/capture-dialog.tsx'
import { attempt } from '#lib/feedback/toast.ts'
import { ClientQuestions } from '../chat/clients/client-questions.tsx'
import { SelectionActions } from './capture/selection-actions.tsx'
import { Tour } from '#lib/tour/tour.tsx'
import { CommandPalette } from './command-palette.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { useShortcuts } from '#lib/util/shortcuts.ts'
import { paths, sessionAt, usePlace } from '#lib/router/paths.ts'
import { loadEnglish } from '#lib/i18n/index.ts'
import { HeaderStart } from '#lib/ui/view-header.tsx'
import { NewFileDialog } from '../editor/tree/new-file-dialog.tsx'
import { useCommands } from './app-commands.ts'
import { SidebarButton, SidebarFrame } from './sidebar-frame.tsx'
import { Sidebar } from './sidebar.tsx'
import { useSidebar } from './use-sidebar.ts'
import { StatusBar } from './status-bar.tsx'
import { commandKeys } from '#lib/router/command-keys.ts'
import { loadViewsAtRest } from './lazy-view.ts'
import { Views } from './views.tsx'

export function Workbench({ agent, agents }: { agent: Agent; agents: readonly Agent[] }) {
  const [capturing, setCapturing] = useState<{ text: string | undefined }>()
  const [isNamingFile, setIsNamingFile] = useState(false)
  const [palette, setPalette] = useState<'closed' | 'all' | 'files'>('closed')
  const [, navigate] = useLocation()
  const place = usePlace()
  const sidebar = useSidebar(place)
  useEffect(() => {
    const onGo = (event: Event) => navigate((event as CustomEvent<string>).detail)
    addEventListener(goToEvent, onGo)
    return () => removeEventListener(goToEvent, onGo)
  }, [navigate])
  useEffect(loadViewsAtRest, [])
  const session = sessionAt(place)
  const isSearched = palette !== 'closed'
  useEffect(() => {
    if (isSearched) void attempt(loadEnglish())
  }, [isSearched])
  const commands = useCommands({
    agent,
    session,
    capture: () => setCapturing({ text: undefined }),
    newFile: () => setIsNamingFile(true),
    toggleSidebar: sidebar.toggle,
    palette: setPalette,
  })
  useShortcuts({
    [commandKeys.palette]: () => setPalette((open) => (open === 'closed' ? 'all' : 'closed')),
    ...Object.fromEntries(commands.flatMap(({ keys, run }) => (keys === undefined ? [] : [[keys, run]]))),
    [commandKeys.searchView]: () => navigate(paths.search()),
  })
  return (
    <div className="flex h-full flex-col" style={{ '--agent': agent.color } as React.CSSProperties}>
      <div className="flex min-h-0 flex-1">
        {sidebar.look !== 'hidden' && (
          <ErrorBoundary piece="part" of={place}>
            <SidebarFrame sidebar={sidebar}>
              <Sidebar agent={agent} sidebar={sidebar} onPalette={() => setPalette('all')} />
            </SidebarFrame>
          </ErrorBoundary>
        )}
        <HeaderStart value={sidebar.look === 'beside' ? null : <SidebarButton onToggle={sidebar.toggle} />}>
          <main className="flex min-w-0 flex-1">
            <ErrorBoundary piece="view" look="view" of={place}>
              <Views agent={agent} place={place} />
            </ErrorBoundary>
          </main>
        </HeaderStart>
      </div>
      <ErrorBoundary piece="part" of={place}>
        <StatusBar agent={agent} session={session} />
      </ErrorBoundary>
      <ErrorBoundary piece="part" of={place}>
        <Tour place={place} isPaletteOpen={palette !== 'closed'} />
        <ClientQuestions />
        <SelectionActions onCapture={(text) => setCapturing({ text })} />
      </ErrorBoundary>
      <ErrorBoundary piece="part" of={capturing}>
        {capturing && <CaptureDialog agents={agents} text={capturing.text} onClose={() => setCapturing(undefined)} />}
      </ErrorBoundary>
      {isNamingFile && <NewFileDialog agent={agent.id} onClose={() => setIsNamingFile(false)} />}
      <ErrorBoundary piece="part" of={palette}>
        <CommandPalette agent={agent} commands={commands} mode={palette} onClose={() => setPalette('closed')} />
      </ErrorBoundary>
    </div>
  )
}
