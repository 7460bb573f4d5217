import { useQuery } from '@tanstack/react-query'
import { Command, FileDiff, Gauge, Inbox, PanelLeft, Plus, Search, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { commandKeys } from '#lib/router/command-keys.ts'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { AgentSwitcher } from '../settings/agents/agent-switcher.tsx'
import { SessionList } from '../chat/sessions/session-list.tsx'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'
import { FileTree } from '../editor/tree/file-tree.tsx'
import { LogCalendar } from '../editor/tree/log-calendar.tsx'
import { useDailyPath } from '#lib/notes/use-vault-settings.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { Modal, ModalTitle } from '#lib/ui/modal.tsx'
import { Keys, NavRow } from '#lib/ui/nav-row.tsx'
import { formatBoundKeys } from '#lib/util/shortcuts.ts'
import { paths, sessionAt, useEncodedPath } from '#lib/router/paths.ts'
import { hintTarget } from '#lib/tour/tour.tsx'
import { SidebarSection } from '#lib/ui/sidebar-section.tsx'
import type { SidebarState } from './use-sidebar.ts'

interface SidebarProps {
  readonly agent: Agent
  readonly sidebar: SidebarState
  readonly onPalette: () => void
}

export function Sidebar({ agent, sidebar, onPalette }: SidebarProps) {
  const { t } = useTranslation()
  const location = useEncodedPath()
  const session = sessionAt(location)
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
          label={t('nav.palette')}
          className="size-[30px]! border border-line bg-raised"
          onClick={onPalette}
          {...hintTarget('palette')}
        >
          <Command size={14} />
        </IconButton>
      </div>
      <div className="px-2.5" {...hintTarget('why')}>
        <NavRow
          href={paths.search()}
          isCurrent={location.startsWith('/search')}
          icon={<Search size={14} />}
          aside={<Keys keys={commandKeys.search} />}
        >
          {t('nav.search')}
        </NavRow>
        <NavRow href={paths.changes()} isCurrent={location.startsWith('/changes')} icon={<FileDiff size={14} />}>
          {t('nav.changes')}
        </NavRow>
        <InboxRow agent={agent} isCurrent={location.startsWith('/inbox')} />
        <ContextRow agent={agent} session={session} isCurrent={location.startsWith('/context')} />
      </div>
      {/* In a low window the sidebar scrolls as a whole: its sections would be too small to scroll. */}
      <div className="mt-2 flex min-h-0 flex-1 flex-col [@media(max-height:620px)]:overflow-y-auto">
        <SidebarSection
          id="chats"
          title={t('nav.chats')}
          className="max-h-[42%] min-h-24 flex-[0_1_auto] [@media(max-height:620px)]:max-h-52 [@media(max-height:620px)]:shrink-0"
        >
          <SessionList agent={agent} current={location} />
        </SidebarSection>
        <FileTree agent={agent} current={location} />
        <Logs agent={agent} current={location} />
      </div>
    </nav>
  )
}

function Logs({ agent, current }: { agent: Agent; current: string }) {
  const { t } = useTranslation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent: agent.id } }))
  const pathOf = useDailyPath(agent.id)
  return (
    <SidebarSection id="logs" title={t('nav.logs')} className="shrink-0">
      <LogCalendar logs={(files.data ?? []).filter(({ kind }) => kind === 'log')} current={current} pathOf={pathOf} />
    </SidebarSection>
  )
}

function InboxRow({ agent, isCurrent }: { agent: Agent; isCurrent: boolean }) {
  const { t } = useTranslation()
  const count = useQuery(api.upkeep.count.queryOptions({ input: { agent: agent.id } })).data?.open ?? 0
  return (
    <NavRow
      href={paths.inbox()}
      isCurrent={isCurrent}
      icon={<Inbox size={14} />}
      aside={count === 0 ? '' : <span className="tabular">{formatNumber(count)}</span>}
    >
      {t('upkeep.title')}
    </NavRow>
  )
}

function ContextRow({ agent, session, isCurrent }: { agent: Agent; session: string | undefined; isCurrent: boolean }) {
  const { t } = useTranslation()
  const report = useQuery(
    api.context.report.queryOptions({ input: { agent: agent.id, ...(session === undefined ? {} : { session }) } }),
  )
  const share = report.data && (report.data.reportedTokens ?? report.data.estimatedTokens) / report.data.contextWindow
  return (
    <NavRow
      href={paths.context(session)}
      isCurrent={isCurrent}
      icon={<Gauge size={14} />}
      aside={share === undefined ? '' : formatPercent(Math.round(share * 100) / 100)}
    >
      {t('nav.context')}
    </NavRow>
  )
}

export function SidebarFrame({ sidebar, children }: { sidebar: SidebarState; children: ReactNode }) {
  const { t } = useTranslation()
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
  const { t } = useTranslation()
  return (
    <IconButton
      label={t('nav.toggleSidebar')}
      title={`${t('nav.toggleSidebar')} (${formatBoundKeys(commandKeys.sidebar)})`}
      className="-ml-1"
      onClick={onToggle}
    >
      <PanelLeft size={15} />
    </IconButton>
  )
}
