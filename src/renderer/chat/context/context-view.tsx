import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { FileJson, ChevronLeft, ChevronRight } from 'lucide-react'
import { useState, useMemo } from 'react'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { ContextEvent, ContextItem, ContextReport, WireRequest } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { Checkbox, Button, IconButton, Choice, QueryView, EmptyState } from '#lib/ui/elements.tsx'
import { formatNumber, formatMoment } from '#lib/i18n/format.ts'
import { InspectTabs, Sheet } from '#lib/ui/frames.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { isLongTermPath } from '#shared/util/agent-files.ts'
import { explainError } from '#lib/feedback/toast.ts'
import { DiffCard } from '#lib/diff-view/diff-card.tsx'
import { ContextBar, itemName, ContextTable, WarningList } from './context-table.tsx'
import { Timeline } from './timeline.tsx'
import { useSettings } from '../../settings/setting-row.tsx'
import { eventSentence } from '../messages/session-event.tsx'
import { parseJson } from '#shared/util/json.ts'

export function ContextView({ session }: { session: string | undefined }) {
  const { id: agent } = useAgent()
  const sessions = useQuery(api.chats.list.queryOptions({ input: { agent } }))
  const [chosenIndex, setChosenIndex] = useState<number>()
  const [isRequestOpen, setIsRequestOpen] = useState(false)
  const [openItem, setOpenItem] = useState<ContextItem>()
  const [openEventId, setOpenEventId] = useState<string>()
  const timeline = useQuery(
    api.context.timeline.queryOptions({ input: session === undefined ? skipToken : { agent, session } }),
  )
  const steps = timeline.data?.steps ?? []
  const index = Math.min(chosenIndex ?? steps.length - 1, steps.length - 1)
  const isLast = index === steps.length - 1
  const step = steps[index]
  const report = useQuery(
    api.context.report.queryOptions({
      input: { agent, session, ...(step === undefined || isLast ? {} : { step: step.id }) },
      placeholderData: keepPreviousData,
    }),
  )
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
          <Button icon={FileJson} look="quiet" onClick={() => setIsRequestOpen(true)}>
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
              <UnaskedSwitches report={data} />
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
                  {openEvent && <EventDetails key={openEventId} session={session} event={openEvent} />}
                </>
              )}
            </div>
          )}
        </QueryView>
      </div>
      {openItem && (
        <SentText session={session} number={step?.request} item={openItem} onClose={() => setOpenItem(undefined)} />
      )}
      {isRequestOpen && session !== undefined && (
        <RequestInspector session={session} initial={step?.request} onClose={() => setIsRequestOpen(false)} />
      )}
    </section>
  )
}

interface SentTextProps {
  readonly session: string | undefined
  /** 1-based number of the request; undefined for the next one. */
  readonly number: number | undefined
  readonly item: Pick<ContextItem, 'layer' | 'name'>
  readonly onClose: () => void
}

function SentText({ session, number, item: { layer, name }, onClose }: SentTextProps) {
  const { id: agent } = useAgent()
  const text = useQuery(api.context.text.queryOptions({ input: { agent, layer, name, session, number } }))
  const title = t('context.open', { name: itemName({ layer, name }) })
  return (
    <Sheet title={title} onClose={onClose}>
      <QueryView query={text}>{(data) => <LongText text={data.text} label={title} />}</QueryView>
    </Sheet>
  )
}

const nameKeys = {
  reserveTokensFloor: 'setting.compaction_reserveTokensFloor',
  keepRecentTokens: 'setting.compaction_keepRecentTokens',
  softThresholdTokens: 'setting.compaction_memoryFlush_softThresholdTokens',
} as const

function LoweredSettings({ report: { lowered, off, contextWindow } }: { report: ContextReport }) {
  const used = lowered?.filter(({ setting }) => setting !== 'softThresholdTokens' || !off?.includes('flush'))
  if (!used || used.length === 0) return null
  const window = formatNumber(contextWindow)
  return (
    <ul className="mt-4 text-[12px] text-muted">
      {used.map(({ setting, from, to }) => (
        <li key={setting} data-testid="lowered-setting">
          {t('context.lowered', { window, name: t(nameKeys[setting]), from: formatNumber(from), to: formatNumber(to) })}
        </li>
      ))}
    </ul>
  )
}

/** Parts of a request that the app adds, by setting, with the test for their rows of the report. */
const parts: readonly { name: 'longTerm' | 'logs' | 'summaries' | 'recall'; has: (item: ContextItem) => boolean }[] = [
  { name: 'longTerm', has: ({ layer, name }) => layer === 'project' && isLongTermPath(name) },
  { name: 'logs', has: ({ layer, name }) => layer === 'logs' && /[\d-]{10}\.md$/.test(name) },
  { name: 'summaries', has: ({ layer, name }) => layer === 'logs' && !/[\d-]{10}\.md$/.test(name) },
  { name: 'recall', has: ({ layer }) => layer === 'recalled' },
]

function UnaskedSwitches({ report }: { report: ContextReport }) {
  const { settings } = useSettings()
  if (!settings) return null
  const scope = settings.hasOwnEntry ? 'agent' : 'all'
  return (
    <fieldset className="mt-6 flex flex-wrap gap-x-6 gap-y-1 text-[12px]">
      <legend className="float-left mr-6 text-muted">{t('context.unasked.title')}</legend>
      {parts.map(({ name, has }) => {
        const setting = settings.all.find(({ row }) => row.path.join('.') === `chat.context.${name}`)
        if (!setting) return null
        const tokens = report.items.filter(has).reduce((sum, item) => sum + item.tokens, 0)
        return (
          <Checkbox
            key={name}
            role="switch"
            checked={settings.effectiveValue(setting, scope) !== false}
            onChange={(isChecked) =>
              settings.set(setting, scope, isChecked, (refusal) => refusal && toast.error(explainError(refusal)))
            }
          >
            {t(`context.unasked.${name}`)} <span className="tabular text-muted">{formatNumber(tokens)}</span>
          </Checkbox>
        )
      })}
    </fieldset>
  )
}

function EventDetails({ session, event: { id, at, event } }: { session: string; event: ContextEvent }) {
  const { id: agent } = useAgent()
  const details = useQuery(api.context.event.queryOptions({ input: { agent, session, id } }))
  return (
    <section
      aria-label={t(`context.event.${event.type}`)}
      data-testid="event-details"
      className="mt-4 flex flex-col gap-3 rounded-lg border border-line bg-side px-4 py-3"
    >
      <h3 className="flex gap-3">
        <span className="font-semibold">{t(`context.event.${event.type}`)}</span>
        <span className="text-muted">{formatMoment(at)}</span>
      </h3>
      {event.type !== 'command' && <p>{eventSentence(event)}</p>}
      {event.type === 'flush' && event.changes.map((change, index) => <DiffCard key={index} change={change} />)}
      {event.type === 'compaction' && (
        <pre className="max-h-72 overflow-auto rounded-md border border-line bg-paper px-3.5 py-2 font-mono text-[12px] whitespace-pre-wrap">
          {event.summary}
        </pre>
      )}
      <QueryView query={details} lines={3}>
        {(data) => (
          <>
            {(['dropped', 'uncovered', 'kept'] as const).map(
              (kind) =>
                data[kind].length > 0 && (
                  <details key={kind}>
                    <summary className="cursor-pointer">{t(`context.${kind}`, { count: data[kind].length })}</summary>
                    <ul className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-paper text-[12px]">
                      {data[kind].map(({ role, text, tokens }, index) => (
                        <li key={index} className="flex gap-3 border-b border-soft px-3.5 py-1.5 last:border-0">
                          <span className="w-24 shrink-0 truncate font-mono text-muted">{role}</span>
                          <span className="line-clamp-4 min-w-0 flex-1 whitespace-pre-wrap">{text}</span>
                          <span className="tabular shrink-0 text-muted">{formatNumber(tokens)}</span>
                        </li>
                      ))}
                    </ul>
                  </details>
                ),
            )}
            {data.results.length > 0 && (
              <ul className="text-[12px]">
                {data.results.map(({ tool, characters, isCleared }, index) => (
                  <li key={index} className="flex gap-3">
                    <span className="font-mono">{tool}</span>
                    <span className="tabular text-muted">
                      {t(isCleared ? 'context.cleared' : 'context.trimmed', { characters: formatNumber(characters) })}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </QueryView>
    </section>
  )
}

interface RequestInspectorProps {
  readonly session: string
  /** 1-based number of the request; undefined for the last one. */
  readonly initial: number | undefined
  readonly onClose: () => void
}

function RequestInspector({ session, initial, onClose }: RequestInspectorProps) {
  const { id: agent } = useAgent()
  const [number, setNumber] = useState(initial)
  const [view, setView] = useState<'wire' | 'layers'>('wire')
  const query = useQuery(api.context.request.queryOptions({ input: { agent, session, number } }))
  const request = query.data?.request
  const current = request?.number ?? number ?? 1
  const count = query.data?.count ?? current
  const title = t('context.exact')
  return (
    <Sheet
      title={title}
      onClose={onClose}
      tools={
        <>
          <Choice
            label={title}
            value={view}
            options={[
              { value: 'wire', name: t('context.wire') },
              { value: 'layers', name: t('context.layersView') },
            ]}
            onChoose={setView}
          />
          <span className="flex items-center">
            <IconButton
              icon={ChevronLeft}
              label={t('context.earlier')}
              disabled={current <= 1}
              onClick={() => setNumber(current - 1)}
            />
            <span className="tabular text-[12px] text-muted" data-testid="request-number">
              {t('context.requestOf', { number: formatNumber(current), count: formatNumber(count) })}
              {request && ` · ${formatMoment(request.sentAt)}`}
            </span>
            <IconButton
              icon={ChevronRight}
              label={t('context.later')}
              disabled={current >= count}
              onClick={() => setNumber(current + 1)}
            />
          </span>
        </>
      }
    >
      <QueryView query={query} lines={12}>
        {() =>
          !request ? (
            <EmptyState title={t('context.noRequest')} />
          ) : view === 'wire' ? (
            <RawRequest model={request.model} rawRequest={request.wire} />
          ) : (
            <LongText text={request.json} label={title} />
          )
        }
      </QueryView>
    </Sheet>
  )
}

/** @param model named as in the configuration */
export function RawRequest({ model, rawRequest }: { model: string; rawRequest: WireRequest | null }) {
  const [isIndented, setIsIndented] = useState(true)
  const text = useMemo(() => rawRequest && formatRequest(rawRequest, isIndented), [rawRequest, isIndented])
  if (!rawRequest || text === null) {
    const reason = model === 'offline' ? 'wireOffline' : 'wireMissing'
    return <EmptyState title={t(`context.${reason}`)} hint={t(`context.${reason}Hint`)} />
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="wire">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5 text-[12px] text-muted">
        <p className="min-w-0 flex-1 basis-60">
          {t('context.wireNote')}
          {rawRequest.leftOut > 0 && ` ${t('context.wireLeftOut', { count: rawRequest.leftOut })}`}
        </p>
        <Checkbox checked={isIndented} onChange={setIsIndented}>
          {t('context.indented')}
        </Checkbox>
      </div>
      <LongText text={text} label={t('context.wire')} />
    </div>
  )
}

function formatRequest({ method, url, headers, body }: WireRequest, isIndented: boolean): string {
  const json = isIndented ? parseJson(body) : undefined
  const headLines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return `${headLines.join('\n')}\n\n${json === undefined ? body : JSON.stringify(json, null, 2)}`
}
