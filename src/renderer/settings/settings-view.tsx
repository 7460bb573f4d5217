/** Settings: agents, models, tools, money; then every setting there is; then keys, places, the log. Or the file itself. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { Agent } from '../../shared/contract/index.ts'
import { AgentsSettings } from '../agents/agents-settings.tsx'
import { api } from '../api/index.ts'
import { Choice } from '../ui/choice.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { paths, useHash } from '../navigate.ts'
import { ViewHeader } from '../ui/view-header.tsx'
import { AllSettings } from './all-settings.tsx'
import { ConfigFile } from './config-file.tsx'
import { HealthList } from '../health/health-list.tsx'
import { DataLocations } from './data-locations.tsx'
import { LogView } from './log-view.tsx'
import { Providers } from './providers.tsx'
import { ShortcutList } from './shortcut-list.tsx'
import { Spending } from './spending.tsx'
import { ImportSettings } from '../import/import-settings.tsx'
import { ToolServers } from './tool-servers.tsx'

const tabs = ['settings', 'file'] as const

export function SettingsView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const settings = useQuery(api.settings.get.queryOptions())
  const tab = useHash() === '#file' ? 'file' : 'settings'
  const [, navigate] = useLocation()
  const [filter, setFilter] = useState('')
  const isFiltered = filter.trim() !== ''
  return (
    <section aria-label={t('settings.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('settings.title')}
        aside={<span className="font-mono text-[12px]">{settings.data?.file}</span>}
      >
        {tab === 'settings' && <SearchField label={t('settings.find')} value={filter} onChange={setFilter} />}
        <Choice
          label={t('settings.title')}
          value={tab}
          options={tabs.map((value) => ({ value, name: t(`settings.tab.${value}`) }))}
          onChoose={(chosen) => navigate(paths.settings(chosen === 'file' ? 'file' : undefined))}
        />
      </ViewHeader>
      {tab === 'file' ? (
        <ConfigFile />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="mx-auto flex max-w-[740px] flex-col gap-10 px-8 py-6">
            {!isFiltered && <OwnSections agent={agent} />}
            <Section id="all" title={t('settings.all')} lead={t('settings.allLead')}>
              <AllSettings agent={agent} filter={filter} />
            </Section>
            {!isFiltered && (
              <>
                <Section id="shortcuts" title={t('shortcut.title')} lead={t('shortcut.lead')}>
                  <ShortcutList />
                </Section>
                <Section id="health" title={t('health.title')} lead={t('health.lead')}>
                  <HealthList agent={agent} />
                </Section>
                <Section id="data" title={t('data.title')} lead={t('data.lead')}>
                  <DataLocations />
                </Section>
                <Section id="log" title={t('log.title')} lead={t('log.lead')}>
                  <LogView />
                </Section>
              </>
            )}
          </div>
        </div>
      )}
    </section>
  )
}

function OwnSections({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  return (
    <>
      <Section id="agents" title={t('agents.title')} lead={t('agents.lead')}>
        <AgentsSettings agent={agent} />
      </Section>
      <Section id="models" title={t('settings.models')} lead={t('settings.modelsLead')}>
        <Providers />
      </Section>
      <Section id="spending" title={t('settings.spending')} lead={t('settings.spendingLead')}>
        <Spending />
      </Section>
      <Section id="tools" title={t('settings.tools')} lead={t('settings.toolsLead')}>
        <ToolServers />
      </Section>
      <Section id="import" title={t('import.title')} lead="">
        <ImportSettings agent={agent} />
      </Section>
    </>
  )
}

interface SectionProps {
  readonly id: string
  readonly title: string
  readonly lead: string
  readonly children: ReactNode
}

function Section({ id, title, lead, children }: SectionProps) {
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
        {lead !== '' && <p className="text-muted">{lead}</p>}
      </header>
      {children}
    </section>
  )
}
