import { t } from 'i18next'
import { useEffect, useState, type ComponentProps, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { Agent, WriteRequest } from '#shared/contract/index.ts'
import { goToEvent } from '#lib/api/event-stream.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { ErrorBoundary, Button, IconButton, TextInput } from '#lib/ui/elements.tsx'
import { useShortcuts, commandKeys, formatBoundKeys } from '#lib/util/shortcuts.ts'
import { navigate, fileAt, paths, sessionAt, useEncodedPath } from '#lib/router/paths.ts'
import { loadTexts } from '#lib/i18n/index.ts'
import { HeaderStart, Modal, ModalTitle, Keys, NavRow, SidebarSection } from '#lib/ui/frames.tsx'
import { useSelectedText, type SelectedText } from '#lib/util/selected-text.ts'
import { MoveDialog } from '../editor/tree/file-row.tsx'
import { NewFileDialog, AssistantFiles, FileTree } from '../editor/tree/file-tree.tsx'
import { useCommands } from './app-commands.ts'
import { StatusBar } from './status-bar.tsx'
import { preloadViewsWhenIdle, Views } from './views.tsx'
import { CaptureCard } from './capture-card.tsx'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import {
  ChartNoAxesColumn,
  Command,
  FileDiff,
  FileText,
  Inbox,
  MessageSquare,
  PanelLeft,
  Plus,
  Search,
  Settings,
} from 'lucide-react'
import { AgentSwitcher } from '../settings/agents.tsx'
import { ChatList } from '../chat/chat-list.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { LogCalendar } from '../editor/tree/log-calendar.tsx'
import { useNotesPath } from '#lib/notes/use-vault-settings.ts'
import { Tour } from './onboarding/onboarding.tsx'
import { useMedia } from '#lib/util/hooks.ts'

/** Loads the palette after the first paint; retries when it opens. */
function usePaletteModule(isOpen: boolean) {
  const [module, setModule] = useState<typeof import('./command-palette.tsx')>()
  useEffect(() => {
    if (module) return
    const load = async () => setModule(await import('./command-palette.tsx'))
    void (isOpen ? runWithErrorToast(load()) : load().catch(() => undefined))
  }, [isOpen, module])
  return module
}

export function Workbench({ agents }: { agents: readonly Agent[] }) {
  const agent = useAgent()
  const [capture, setCapture] = useState<Pick<ComponentProps<typeof CaptureCard>, 'initialText' | 'chat'>>()
  const closeCapture = () => setCapture(undefined)
  const [isNamingFile, setIsNamingFile] = useState(false)
  const [renamed, setRenamed] = useState<string>()
  const [palette, setPalette] = useState<'closed' | 'all' | 'files'>('closed')
  const paletteModule = usePaletteModule(palette !== 'closed')
  const [typedEarly, setTypedEarly] = useState('')
  const encodedPath = useEncodedPath()
  const sidebar = useSidebar(encodedPath)
  useEffect(() => {
    const onGo = (event: Event) => navigate((event as CustomEvent<string>).detail)
    addEventListener(goToEvent, onGo)
    return () => removeEventListener(goToEvent, onGo)
  }, [])
  useEffect(preloadViewsWhenIdle, [])
  const session = sessionAt(encodedPath)
  const openFile = fileAt(encodedPath)
  const chat = session === undefined ? undefined : { agent: agent.id, session }
  const isPaletteOpen = palette !== 'closed'
  useEffect(() => {
    // The palette finds commands by their English names in every language.
    if (isPaletteOpen) void runWithErrorToast(loadTexts('en'))
  }, [isPaletteOpen])
  const commands = useCommands({
    session,
    capture: () => setCapture({ initialText: undefined }),
    newFile: () => setIsNamingFile(true),
    rename: openFile === undefined ? undefined : () => setRenamed(openFile),
    toggleSidebar: sidebar.toggle,
    goToFile: () => setPalette('files'),
  })
  const closeThen = (run: () => void) => () => {
    setPalette('closed')
    setTypedEarly('')
    run()
  }
  useShortcuts({
    [commandKeys.palette]: () => setPalette((open) => (open === 'closed' ? 'all' : 'closed')),
    ...Object.fromEntries(commands.flatMap(({ keys, run }) => (keys === undefined ? [] : [[keys, closeThen(run)]]))),
    [commandKeys.searchView]: closeThen(() => navigate(paths.search())),
  })
  return (
    <div className="flex h-full flex-col" style={{ '--agent': agent.color } as React.CSSProperties}>
      <Button
        className="absolute z-50 not-focus:sr-only focus:top-2 focus:left-2"
        onClick={() => document.querySelector<HTMLElement>('main')?.focus()}
      >
        {t('nav.skip')}
      </Button>
      <div className="flex min-h-0 flex-1">
        {sidebar.mode !== 'hidden' && (
          <ErrorBoundary piece="part" resetKey={encodedPath}>
            <SidebarFrame sidebar={sidebar}>
              <Sidebar sidebar={sidebar} isPaletteOpen={isPaletteOpen} onPalette={() => setPalette('all')} />
            </SidebarFrame>
          </ErrorBoundary>
        )}
        <HeaderStart value={sidebar.mode === 'beside' ? null : <SidebarButton onToggle={sidebar.toggle} />}>
          <main tabIndex={-1} className="flex min-w-0 flex-1 outline-none">
            <ErrorBoundary piece="view" variant="view" resetKey={encodedPath}>
              <Views />
            </ErrorBoundary>
          </main>
        </HeaderStart>
      </div>
      <ErrorBoundary piece="part" resetKey={encodedPath}>
        <StatusBar session={session} />
      </ErrorBoundary>
      <ErrorBoundary piece="part" resetKey={encodedPath}>
        <ClientWriteRequestDialog />
        <SelectionActions onCapture={(initialText) => setCapture({ initialText, chat })} />
      </ErrorBoundary>
      <ErrorBoundary piece="part" resetKey={capture}>
        {capture && (
          <Modal
            className="top-[28vh] left-1/2 w-[min(520px,92vw)] -translate-x-1/2 outline-none"
            onClose={closeCapture}
          >
            <CaptureCard agents={agents} {...capture} onClose={closeCapture} />
          </Modal>
        )}
      </ErrorBoundary>
      {isNamingFile && <NewFileDialog onClose={() => setIsNamingFile(false)} />}
      {renamed !== undefined && <MoveDialog from={renamed} onClose={() => setRenamed(undefined)} />}
      <ErrorBoundary piece="part" resetKey={palette}>
        {palette !== 'closed' && !paletteModule && (
          // Until the palette is loaded, typed keys would go to the focused field.
          <TextInput
            ref={borrowFocus}
            aria-label={t('shortcut.palette')}
            className="sr-only"
            onChange={setTypedEarly}
          />
        )}
        {palette !== 'closed' && paletteModule && (
          <paletteModule.CommandPalette
            initialText={typedEarly}
            commands={commands}
            mode={palette}
            onClose={closeThen(() => undefined)}
          />
        )}
      </ErrorBoundary>
    </div>
  )
}

function borrowFocus(field: HTMLElement | null) {
  const { activeElement } = document
  field?.focus()
  return () => void (activeElement instanceof HTMLElement && activeElement.focus())
}

const maxQueryCharacters = 200

function SelectionActions({ onCapture }: { onCapture: (text: string) => void }) {
  const selected = useSelectedText()
  const [dismissed, setDismissed] = useState<SelectedText>()
  useEffect(() => {
    if (!selected) return undefined
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setDismissed(selected)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [selected])
  if (!selected || selected === dismissed) return null
  const { text, left, bottom, place, makePrivate } = selected
  const query = text.replace(/\s+/g, ' ').trim().slice(0, maxQueryCharacters)
  const actions = [
    { label: t('selection.related'), run: () => navigate(paths.search(query)) },
    ...(place ? [{ label: t('selection.why'), run: () => navigate(paths.found(undefined, place)) }] : []),
    { label: t('chat.remember'), run: () => onCapture(text) },
    ...(makePrivate ? [{ label: t('private.lockThis'), run: makePrivate }] : []),
  ]
  return (
    <div
      role="toolbar"
      aria-label={t('selection.actions')}
      // Keeps the selection when a button is pressed.
      onMouseDown={(event) => event.preventDefault()}
      className="fixed z-30 flex gap-0.5 rounded-md border border-line bg-raised p-0.5 text-[12px] shadow-md"
      style={{ left: Math.min(left, innerWidth - 480), top: Math.min(bottom + 6, innerHeight - 44) }}
    >
      {actions.map(({ label, run }) => (
        <Button
          key={label}
          look="quiet"
          onClick={() => {
            setDismissed(selected)
            getSelection()?.removeAllRanges()
            run()
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

function ClientWriteRequestDialog() {
  const { data: requests = [] } = useQuery(api.clients.questions.queryOptions())
  const [first] = requests
  return first && <RequestCard key={first.id} request={first} otherCount={requests.length - 1} />
}

function RequestCard({ request, otherCount }: { request: WriteRequest; otherCount: number }) {
  const { id, name, text } = request
  const answer = useMutation(api.clients.answer.mutationOptions())
  return (
    <section
      role="alertdialog"
      aria-label={t('programs.question', { name })}
      className="fixed right-4 bottom-12 z-30 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-md border border-line bg-raised px-3.5 py-3 shadow-float"
      data-testid="client-question"
    >
      <p className="font-medium">{t('programs.question', { name })}</p>
      <pre
        className="max-h-40 overflow-auto rounded-sm bg-side p-2 font-mono text-[12px] break-words whitespace-pre-wrap"
        tabIndex={0}
      >
        {text}
      </pre>
      <div className="flex flex-wrap items-center gap-2">
        {(['once', 'always', 'no'] as const).map((decision) => (
          <Button
            key={decision}
            look={decision === 'once' ? 'primary' : 'plain'}
            disabled={answer.isPending}
            onClick={() => answer.mutate({ id, decision })}
          >
            {t(`permission.${decision === 'no' ? 'deny' : decision}`)}
          </Button>
        ))}
        {otherCount > 0 && <span className="text-[12px] text-muted">{t('programs.more', { count: otherCount })}</span>}
      </div>
    </section>
  )
}

interface SidebarProps {
  readonly sidebar: SidebarState
  readonly isPaletteOpen: boolean
  readonly onPalette: () => void
}

function Sidebar({ sidebar, isPaletteOpen, onPalette }: SidebarProps) {
  const { id: agent } = useAgent()
  const location = useEncodedPath()
  const session = sessionAt(location)
  const place = places.find(({ start }) => start.test(location))?.name
  const open = useQuery(api.suggestions.count.queryOptions({ input: { agent: agent } })).data?.open ?? 0
  const chat = useLastChat(agent, session)
  const hrefs = {
    chat: paths.chat(chat),
    notes: useNotesPath(agent),
    search: paths.search(),
    inspect: paths.sent(chat),
    suggestions: paths.inbox(),
  }
  return (
    <nav aria-label={t('nav.main')} className="flex w-[260px] shrink-0 flex-col border-r border-line bg-side">
      <div className="flex items-center gap-1.5 px-4 pt-4 pr-3 pb-3">
        <AgentSwitcher />
        <Link
          href={paths.settings()}
          aria-label={t('settings.title')}
          title={t('settings.title')}
          className="-my-1 flex size-7 items-center justify-center rounded-sm text-muted hover:bg-soft hover:text-text"
        >
          <Settings size={14} />
        </Link>
        <SidebarButton onToggle={sidebar.toggle} />
      </div>
      <div className="flex gap-1.5 px-3.5 pb-2">
        <Link
          href={paths.chat()}
          className="flex min-h-[30px] flex-1 items-center gap-2 rounded-sm border border-line bg-raised px-2.5 transition-colors hover:bg-soft"
        >
          <Plus size={14} aria-hidden />
          <span className="flex-1">{t('nav.newChat')}</span>
          <Keys keys={commandKeys.newChat} />
        </Link>
        <IconButton
          icon={Command}
          label={t('shortcut.palette')}
          className="size-[30px]! border border-line bg-raised"
          onClick={onPalette}
        />
      </div>
      <div className="px-2.5">
        {places.map(({ name, Icon, keys, label }) => (
          <NavRow
            key={name}
            href={hrefs[name]}
            isCurrent={place === name}
            icon={<Icon size={14} />}
            aside={
              name === 'suggestions' && open > 0 ? (
                <span className="tabular">{formatNumber(open)}</span>
              ) : (
                <Keys keys={keys} />
              )
            }
          >
            {t(label)}
          </NavRow>
        ))}
      </div>
      <div className="mt-2 min-h-0 flex-1 overflow-y-auto border-t border-soft pt-1">
        {place === 'notes' ? (
          <>
            <div className="px-2.5">
              <NavRow href={paths.changes()} isCurrent={location === paths.changes()} icon={<FileDiff size={14} />}>
                {t('nav.changes')}
              </NavRow>
            </div>
            <FileTree />
            <SidebarSection foldKey="logs" title={t('nav.logs')} startsFolded={innerHeight < calendarHeight}>
              <LogCalendar />
            </SidebarSection>
            <AssistantFiles />
          </>
        ) : (
          <section aria-label={t('nav.chats')} className="px-2.5 pb-2">
            <ChatList current={location} />
          </section>
        )}
      </div>
      <Tour isPaletteOpen={isPaletteOpen} />
    </nav>
  )
}

const places = [
  { name: 'chat', start: /^\/(?:chat\/|$)/, Icon: MessageSquare, keys: commandKeys.chat, label: 'nav.chat' },
  {
    name: 'notes',
    start: /^\/(?:file|changes|find|links|forget)\b/,
    Icon: FileText,
    keys: commandKeys.notes,
    label: 'nav.notes',
  },
  { name: 'search', start: /^\/search\b/, Icon: Search, keys: commandKeys.search, label: 'nav.search' },
  {
    name: 'inspect',
    start: /^\/inspect\b/,
    Icon: ChartNoAxesColumn,
    keys: commandKeys.inspect,
    label: 'inspect.title',
  },
  { name: 'suggestions', start: /^\/inbox\b/, Icon: Inbox, keys: commandKeys.suggestions, label: 'suggestions.title' },
] as const

/** By agent. */
const lastChats = new Map<string, string>()

/** Returns the shown chat, else the one that was shown last, unless it was deleted. */
function useLastChat(agent: string, shown: string | undefined): string | undefined {
  const chats = useQuery(api.chats.list.queryOptions({ input: { agent } })).data
  useEffect(() => {
    if (shown !== undefined) lastChats.set(agent, shown)
  }, [agent, shown])
  const last = lastChats.get(agent)
  return shown ?? (chats?.some(({ id }) => id === last) ? last : undefined)
}

/** Window height from which the calendar is open at first, px. */
const calendarHeight = 900

function SidebarFrame({ sidebar, children }: { sidebar: SidebarState; children: ReactNode }) {
  if (sidebar.mode !== 'drawer') return children
  return (
    <Modal className="inset-y-0 left-0 flex max-w-[88vw] bg-side shadow-float" onClose={sidebar.close}>
      <span className="sr-only">
        <ModalTitle>{t('nav.main')}</ModalTitle>
      </span>
      {children}
    </Modal>
  )
}

function SidebarButton({ onToggle }: { onToggle: () => void }) {
  return (
    <IconButton
      icon={PanelLeft}
      size={15}
      label={t('shortcut.sidebar')}
      title={`${t('shortcut.sidebar')} (${formatBoundKeys(commandKeys.sidebar)})`}
      className="-ml-1"
      onClick={onToggle}
    />
  )
}

/** Minimum window width for a sidebar beside the view, px. */
const minWidth = 900

type SidebarState = ReturnType<typeof useSidebar>

/** @param address current address; a drawer closes when it changes */
function useSidebar(address: string) {
  const isNarrow = useMedia(`(max-width: ${minWidth - 1}px)`)
  const [isBeside, setIsBeside] = useState(true)
  const [drawerAddress, setDrawerAddress] = useState<string>()
  const isVisible = isNarrow ? drawerAddress === address : isBeside
  const close = () => setDrawerAddress(undefined)
  const toggle = () => {
    if (isNarrow) setDrawerAddress(isVisible ? undefined : address)
    else setIsBeside(!isBeside)
  }
  const mode = !isVisible ? 'hidden' : isNarrow ? 'drawer' : 'beside'
  return { mode, toggle, close } as const
}
