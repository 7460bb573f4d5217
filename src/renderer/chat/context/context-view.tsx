import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { FileJson } from 'lucide-react'
import { useState } from 'react'
import { t } from 'i18next'
import type { Agent, ContextItem } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { QueryView } from '#lib/feedback/query-view.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { InspectTabs } from '#lib/ui/inspect-tabs.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { Sheet } from '#lib/ui/sheet.tsx'
import { ContextBar } from './context-bar.tsx'
import { ContextTable } from './context-table.tsx'
import { EventDetails } from './event-details.tsx'
import { LoweredSettings } from './lowered-settings.tsx'
import { RequestInspector } from './request-inspector.tsx'
import { Timeline } from './timeline.tsx'
import { UnaskedSwitches } from './unasked-switches.tsx'
import { WarningList } from './warning-list.tsx'
import { itemName } from './layers.ts'

export function ContextView({ agent, session }: { agent: Agent; session?: string }) {
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  const [chosenIndex, setChosenIndex] = useState<number>()
  const [isRequestOpen, setIsRequestOpen] = useState(false)
  const [openItem, setOpenItem] = useState<ContextItem>()
  const [openEventId, setOpenEventId] = useState<string>()
  const timeline = useQuery(
    api.context.timeline.queryOptions({ input: session === undefined ? skipToken : { agent: agent.id, session } }),
  )
  const steps = timeline.data?.steps ?? []
  const index = Math.min(chosenIndex ?? steps.length - 1, steps.length - 1)
  const isLast = index === steps.length - 1
  const step = steps[index]
  const report = useQuery({
    ...api.context.report.queryOptions({
      input: {
        agent: agent.id,
        session,
        ...(step === undefined || isLast ? {} : { step: step.id }),
      },
    }),
    placeholderData: keepPreviousData,
  })
  const title = sessions.data?.find(({ id }) => id === session)?.title
  const openEvent = timeline.data?.events.find(({ id }) => id === openEventId)
  return (
    <section aria-label={t('inspect.sent')} className="flex min-w-0 flex-1 flex-col">
      <InspectTabs session={session}>
        <span className="min-w-0 truncate text-muted">
          {title === undefined || steps.length === 0
            ? t('context.next')
            : isLast
              ? t('context.last', { title })
              : t('context.requestOf', { number: formatNumber(index + 1), count: formatNumber(steps.length) })}
        </span>
        {!isLast && (
          <Button look="quiet" onClick={() => setChosenIndex(undefined)}>
            {t('context.toLast')}
          </Button>
        )}
        {step && (
          <Button look="quiet" onClick={() => setIsRequestOpen(true)}>
            <FileJson size={14} aria-hidden />
            {t('context.exact')}
          </Button>
        )}
      </InspectTabs>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <QueryView query={report} lines={8}>
          {(data) => (
            <div className="px-5 pb-8">
              <ContextBar report={data} onOpen={setOpenItem} />
              <WarningList report={data} />
              <ContextTable report={data} onOpen={setOpenItem} />
              <LoweredSettings report={data} />
              <UnaskedSwitches agent={agent} report={data} />
              {session !== undefined && steps.length > 0 && (
                <>
                  <Timeline
                    steps={steps}
                    events={timeline.data?.events ?? []}
                    selectedIndex={index}
                    onStep={setChosenIndex}
                    openEventId={openEventId}
                    onEvent={setOpenEventId}
                  />
                  {openEvent && <EventDetails key={openEventId} agent={agent.id} session={session} event={openEvent} />}
                </>
              )}
            </div>
          )}
        </QueryView>
      </div>
      {openItem && (
        <SentText
          agent={agent.id}
          session={session}
          number={step?.request}
          item={openItem}
          onClose={() => setOpenItem(undefined)}
        />
      )}
      {isRequestOpen && session !== undefined && (
        <RequestInspector
          agent={agent.id}
          session={session}
          initial={step?.request}
          onClose={() => setIsRequestOpen(false)}
        />
      )}
    </section>
  )
}

interface SentTextProps {
  readonly agent: string
  readonly session: string | undefined
  /** 1-based number of the request; undefined for the next one. */
  readonly number: number | undefined
  readonly item: Pick<ContextItem, 'layer' | 'name'>
  readonly onClose: () => void
}

function SentText({ agent, session, number, item: { layer, name }, onClose }: SentTextProps) {
  const text = useQuery(api.context.text.queryOptions({ input: { agent, layer, name, session, number } }))
  const title = t('context.open', { name: itemName({ layer, name }) })
  return (
    <Sheet title={title} onClose={onClose}>
      <QueryView query={text}>{(data) => <LongText text={data.text} label={title} />}</QueryView>
    </Sheet>
  )
}
