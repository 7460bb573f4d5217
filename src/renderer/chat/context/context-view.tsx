import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { FileJson, SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent, ContextItem } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { Sheet } from '#lib/ui/sheet.tsx'
import { RedactionList } from '../../editor/privacy/privacy-badge.tsx'
import { ContextBar } from './context-bar.tsx'
import { ContextTable } from './context-table.tsx'
import { EventDetails } from './event-details.tsx'
import { RequestInspector } from './request-inspector.tsx'
import { Timeline } from './timeline.tsx'
import { WarningList } from './warning-list.tsx'
import { WhatIfWindowPanel } from './what-if-window.tsx'
import { useItemName } from './item-name.ts'

export function ContextView({ agent, session }: { agent: Agent; session?: string }) {
  const { t } = useTranslation()
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  const [chosen, setChosen] = useState<number>()
  const [asksWhatIf, setAsksWhatIf] = useState(false)
  const [showsRequest, setShowsRequest] = useState(false)
  const [opened, setOpened] = useState<ContextItem>()
  const [event, setEvent] = useState<string>()
  const timeline = useQuery(
    api.context.timeline.queryOptions({ input: session === undefined ? skipToken : { agent: agent.id, session } }),
  )
  const steps = timeline.data?.steps ?? []
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1)
  const isLast = at === steps.length - 1
  const step = steps[at]
  const report = useQuery({
    ...api.context.report.queryOptions({
      input: {
        agent: agent.id,
        ...(session === undefined ? {} : { session }),
        ...(step === undefined || isLast ? {} : { step: step.id }),
      },
    }),
    placeholderData: keepPreviousData,
  })
  const title = sessions.data?.find(({ id }) => id === session)?.title
  const openEvent = timeline.data?.events.find(({ id }) => id === event)
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('context.title')}
        aside={
          title === undefined || steps.length === 0
            ? t('context.next')
            : isLast
              ? t('context.last', { title })
              : t('context.requestOf', { number: formatNumber(at + 1), count: formatNumber(steps.length) })
        }
      >
        {!isLast && (
          <Button look="quiet" onClick={() => setChosen(undefined)}>
            {t('context.toLast')}
          </Button>
        )}
        {step && (
          <Button look="quiet" onClick={() => setShowsRequest(true)}>
            <FileJson size={14} aria-hidden />
            {t('context.exact')}
          </Button>
        )}
        <Button look="quiet" aria-pressed={asksWhatIf} onClick={() => setAsksWhatIf(!asksWhatIf)}>
          <SlidersHorizontal size={14} aria-hidden />
          {t('whatIf.title')}
        </Button>
      </ViewHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {report.error ? (
          <ErrorState error={report.error} onRetry={() => void report.refetch()} />
        ) : report.data ? (
          <div className="px-5 pb-8">
            <ContextBar report={report.data} onOpen={setOpened} />
            {asksWhatIf && <WhatIfWindowPanel agent={agent.id} session={session} report={report.data} />}
            <RedactionList report={report.data} />
            <WarningList report={report.data} />
            <ContextTable report={report.data} onOpen={setOpened} />
            {session !== undefined && steps.length > 0 && (
              <>
                <Timeline
                  steps={steps}
                  events={timeline.data?.events ?? []}
                  at={at}
                  onStep={setChosen}
                  openEvent={event}
                  onEvent={setEvent}
                />
                {openEvent && <EventDetails key={event} agent={agent.id} session={session} event={openEvent} />}
              </>
            )}
          </div>
        ) : (
          <Skeleton lines={8} />
        )}
      </div>
      {opened && (
        <SentText
          agent={agent.id}
          session={session}
          number={step?.request}
          item={opened}
          onClose={() => setOpened(undefined)}
        />
      )}
      {showsRequest && session !== undefined && (
        <RequestInspector
          agent={agent.id}
          session={session}
          initial={step?.request}
          onClose={() => setShowsRequest(false)}
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
  const { t } = useTranslation()
  const nameOf = useItemName()
  const input = {
    agent,
    layer,
    name,
    ...(session === undefined ? {} : { session }),
    ...(number === undefined ? {} : { number }),
  }
  const text = useQuery(api.context.text.queryOptions({ input }))
  const title = t('context.open', { name: nameOf({ layer, name }) })
  return (
    <Sheet title={title} onClose={onClose}>
      {text.error ? (
        <ErrorState error={text.error} onRetry={() => void text.refetch()} />
      ) : text.data ? (
        <LongText text={text.data.text} label={title} />
      ) : (
        <Skeleton />
      )}
    </Sheet>
  )
}
