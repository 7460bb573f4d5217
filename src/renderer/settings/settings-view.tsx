/** Settings: so far what models, their tools and their cost need, and what comes in and goes out. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '../../shared/contract/index.ts'
import { AgentsSettings } from '../agents/agents-settings.tsx'
import { api } from '../api/index.ts'
import { useHash } from '../ui/navigate.ts'
import { ViewHeader } from '../ui/view-header.tsx'
import { Providers } from './providers.tsx'
import { Spending } from './spending.tsx'
import { Transfer } from './transfer.tsx'
import { ToolServers } from './tool-servers.tsx'

export function SettingsView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const settings = useQuery(api.settings.get.queryOptions())
  return (
    <section aria-label={t('settings.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('settings.title')}
        aside={<span className="font-mono text-[12px]">{settings.data?.file}</span>}
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[740px] flex-col gap-10 px-8 py-6">
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
            <Transfer agent={agent} />
          </Section>
        </div>
      </div>
    </section>
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
