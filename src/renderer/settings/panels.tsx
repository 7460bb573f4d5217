/** What the settings have beside single settings: agents, providers, tools, keys, data. Links lead to each by its name. */
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { AgentsSettings } from './agents/agents-settings.tsx'
import { HealthList } from './health/health-list.tsx'
import { ImportSettings } from './import/import-settings.tsx'
import { commandKeys } from '#lib/router/command-keys.ts'
import { useHash } from '#lib/router/paths.ts'
import { showKeys } from '#lib/util/shortcuts.ts'
import { ConnectPrograms } from './connect-programs.tsx'
import { DataLocations } from './data-locations.tsx'
import { KnownPrograms } from './known-programs.tsx'
import { LogView } from './log-view.tsx'
import { MeaningPanel } from './meaning-panel.tsx'
import { Providers } from './providers.tsx'
import type { SectionId } from './setting-sections.ts'
import { ShortcutList } from './shortcut-list.tsx'
import { Spending } from './spending.tsx'
import { ToolServers } from './tool-servers.tsx'

export function usePanels(agent: Agent): readonly Panel[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        section: 'agents',
        id: 'agents',
        words: `${t('agents.name')} ${t('agents.color')} ${t('agents.folder')} ${t('agents.archive')} ${t('agents.ownFolder')} name color workspace archived shareWith vault.own`,
        title: t('agents.title'),
        lead: t('agents.lead'),
        body: <AgentsSettings agent={agent} />,
      },
      {
        section: 'models',
        id: 'providers',
        words: `${t('settings.apiKey')} ${t('settings.baseUrl')} Anthropic OpenAI baseUrl headers proxy contextWindow maxOutput prices`,
        title: t('settings.models'),
        lead: t('settings.modelsLead'),
        body: <Providers />,
      },
      {
        section: 'models',
        id: 'spending',
        words: `${t('settings.limit')} monthlyLimit`,
        title: t('settings.spending'),
        lead: t('settings.spendingLead'),
        body: <Spending />,
      },
      {
        section: 'recall',
        id: 'meaning',
        words: 'embedding vectors passages',
        title: t('meaning.title'),
        lead: t('meaning.lead'),
        body: <MeaningPanel agent={agent} />,
      },
      {
        section: 'tools',
        id: 'tools',
        words: 'MCP mcp.servers permission command url',
        title: t('settings.tools'),
        lead: t('settings.toolsLead'),
        body: <ToolServers />,
      },
      {
        section: 'programs',
        id: 'programs',
        words: 'MCP Claude Code Desktop Codex Cursor VS Code Goose Gemini Windsurf ChatGPT',
        title: t('clients.title'),
        lead: t('clients.lead'),
        body: <ConnectPrograms agent={agent} />,
      },
      {
        section: 'programs',
        id: 'knownPrograms',
        words: `MCP HTTP token ${t('clients.may')} ${t('clients.newToken')}`,
        title: t('clients.knownTitle'),
        lead: t('clients.knownLead'),
        body: <KnownPrograms agent={agent} />,
      },
      {
        section: 'keys',
        id: 'shortcuts',
        words: Object.entries(commandKeys)
          .map(([name, keys]) => `${t(`shortcut.${name as keyof typeof commandKeys}`)} ${showKeys(keys)}`)
          .join(' '),
        title: t('shortcut.title'),
        lead: t('shortcut.lead'),
        body: <ShortcutList />,
      },
      {
        section: 'health',
        id: 'health',
        title: t('health.title'),
        lead: t('health.lead'),
        body: <HealthList agent={agent} />,
      },
      { section: 'data', id: 'data', title: t('data.title'), lead: t('data.lead'), body: <DataLocations /> },
      {
        section: 'data',
        id: 'import',
        title: t('import.title'),
        lead: t('import.lead'),
        body: <ImportSettings agent={agent} />,
      },
      { section: 'data', id: 'log', title: t('log.title'), lead: t('log.lead'), body: <LogView /> },
    ],
    [agent, t],
  )
}

export interface Panel {
  readonly section: SectionId
  readonly id: string
  readonly title: string
  readonly lead: string
  /** What else it is found by: names of its fields, keys of the configuration. */
  readonly words?: string
  readonly body: ReactNode
}

export function PanelView({ panel: { id, title, lead, body } }: { panel: Panel }) {
  const frame = useRef<HTMLElement>(null)
  const isTarget = useHash() === `#${id}`
  useEffect(() => {
    if (isTarget) frame.current?.scrollIntoView({ block: 'start' })
  }, [isTarget])
  return (
    <section ref={frame} aria-labelledby={`settings-${id}`} className="flex scroll-mt-4 flex-col gap-4">
      <header>
        <h2 id={`settings-${id}`} className="text-[15px] font-semibold">
          {title}
        </h2>
        <p className="text-muted">{lead}</p>
      </header>
      {body}
    </section>
  )
}
