import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
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
import { useEffect, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { commandKeys, formatBoundKeys } from '#lib/util/shortcuts.ts'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { AgentSwitcher } from '../settings/agents.tsx'
import { SessionList } from '../chat/sessions.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { AssistantFiles, FileTree } from '../editor/tree/file-tree.tsx'
import { LogCalendar } from '../editor/tree/log-calendar.tsx'
import { useDailyPath, useNotesPath } from '#lib/notes/use-vault-settings.ts'
import { IconButton } from '#lib/ui/controls.tsx'
import { Modal, ModalTitle } from '#lib/ui/dialog.tsx'
import { Keys, NavRow, SidebarSection } from '#lib/ui/view-frame.tsx'
import { paths, sessionAt, useEncodedPath } from '#lib/router/paths.ts'
import { Tour } from './onboarding/onboarding.tsx'
import { useMedia } from '#lib/util/hooks.ts'

interface SidebarProps {
  readonly agent: Agent
  readonly sidebar: SidebarState
  readonly isPaletteOpen: boolean
  readonly onPalette: () => void
}

export function Sidebar({ agent, sidebar, isPaletteOpen, onPalette }: SidebarProps) {
  const location = useEncodedPath()
  const session = sessionAt(location)
  const place = places.find(({ start }) => start.test(location))?.name
  const open = useQuery(api.upkeep.count.queryOptions({ input: { agent: agent.id } })).data?.open ?? 0
  const chat = useLastChat(agent.id, session)
  const hrefs = {
    chat: paths.chat(chat),
    notes: useNotesPath(agent.id),
    search: paths.search(),
    inspect: paths.sent(chat),
    suggestions: paths.inbox(),
  }
  return (
    <nav aria-label={t('nav.main')} className="flex w-[260px] shrink-0 flex-col border-r border-line bg-side">
      <div className="flex items-center gap-1.5 px-4 pt-4 pr-3 pb-3">
        <AgentSwitcher agent={agent} />
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
            <FileTree agent={agent} current={location} />
            <Logs agent={agent} current={location} />
            <AssistantFiles agent={agent} current={location} />
          </>
        ) : (
          <section aria-label={t('nav.chats')} className="px-2.5 pb-2">
            <SessionList agent={agent} current={location} />
          </section>
        )}
      </div>
      <Tour place={location} isPaletteOpen={isPaletteOpen} />
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
  { name: 'suggestions', start: /^\/inbox\b/, Icon: Inbox, keys: commandKeys.suggestions, label: 'upkeep.title' },
] as const

/** The chat that was shown last, by agent. */
const lastChats = new Map<string, string>()

/** Returns the shown chat, else the one that was shown last, unless it was deleted. */
function useLastChat(agent: string, shown: string | undefined): string | undefined {
  const chats = useQuery(api.sessions.list.queryOptions({ input: { agent } })).data
  useEffect(() => {
    if (shown !== undefined) lastChats.set(agent, shown)
  }, [agent, shown])
  const last = lastChats.get(agent)
  return shown ?? (chats?.some(({ id }) => id === last) ? last : undefined)
}

/** Window height from which the calendar is open at first, px. */
const calendarHeight = 900

function Logs({ agent, current }: { agent: Agent; current: string }) {
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const pathOf = useDailyPath(agent.id)
  return (
    <SidebarSection foldKey="logs" title={t('nav.logs')} startsFolded={innerHeight < calendarHeight}>
      <LogCalendar logs={(files.data ?? []).filter(({ kind }) => kind === 'log')} current={current} pathOf={pathOf} />
    </SidebarSection>
  )
}

export function SidebarFrame({ sidebar, children }: { sidebar: SidebarState; children: ReactNode }) {
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

export function SidebarButton({ onToggle }: { onToggle: () => void }) {
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

interface SidebarState {
  readonly mode: 'beside' | 'drawer' | 'hidden'
  readonly toggle: () => void
  readonly close: () => void
}

/** @param address current address; a drawer closes when it changes */
export function useSidebar(address: string): SidebarState {
  const isNarrow = useMedia(`(max-width: ${minWidth - 1}px)`)
  const [isBeside, setIsBeside] = useState(true)
  const [drawerAddress, setDrawerAddress] = useState<string>()
  const isVisible = isNarrow ? drawerAddress === address : isBeside
  const close = () => setDrawerAddress(undefined)
  const toggle = () => {
    if (isNarrow) setDrawerAddress(isVisible ? undefined : address)
    else setIsBeside(!isBeside)
  }
  return { mode: !isVisible ? 'hidden' : isNarrow ? 'drawer' : 'beside', toggle, close }
}
