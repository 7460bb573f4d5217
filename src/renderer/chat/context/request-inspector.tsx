import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { t } from 'i18next'
import type { WireRequest } from '#shared/contract/index.ts'
import { parseJson } from '#shared/util/json.ts'
import { api } from '#lib/api/client.ts'
import { QueryView } from '#lib/feedback/query-view.tsx'
import { formatMoment, formatNumber } from '#lib/i18n/format.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { Choice } from '#lib/ui/choice.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { Sheet } from '#lib/ui/sheet.tsx'
import { EmptyState } from '#lib/ui/states.tsx'
import { itemName, layerColor } from './layers.ts'

interface RequestInspectorProps {
  readonly agent: string
  readonly session: string
  /** 1-based number of the request; undefined for the last one. */
  readonly initial: number | undefined
  readonly onClose: () => void
}

export function RequestInspector({ agent, session, initial, onClose }: RequestInspectorProps) {
  const [number, setNumber] = useState(initial)
  const [chosenBase, setChosenBase] = useState<number>()
  const [view, setView] = useState<'wire' | 'layers' | 'difference'>('wire')
  const query = useQuery(api.context.request.queryOptions({ input: { agent, session, number } }))
  const request = query.data?.request
  const current = request?.number ?? number ?? 1
  const count = query.data?.count ?? current
  const base = chosenBase ?? Math.max(1, current - 1)
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
              { value: 'difference', name: t('context.difference') },
            ]}
            onChoose={setView}
          />
          {view === 'difference' && (
            <label className="flex items-center gap-2 text-[12px] text-muted">
              {t('context.comparedTo')}
              <input
                type="number"
                min={1}
                max={count}
                value={base}
                onChange={(event) => {
                  const { valueAsNumber } = event.target
                  if (valueAsNumber >= 1 && valueAsNumber <= count) setChosenBase(valueAsNumber)
                }}
                className="tabular w-16 rounded-sm border border-line bg-paper px-2 py-0.5 text-text"
              />
            </label>
          )}
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
          ) : view === 'layers' ? (
            <LongText text={request.json} label={title} />
          ) : (
            <Difference agent={agent} session={session} from={Math.min(base, current)} to={Math.max(base, current)} />
          )
        }
      </QueryView>
    </Sheet>
  )
}

interface RawRequestProps {
  /** Model of the request, named as in the configuration. */
  readonly model: string
  readonly rawRequest: WireRequest | null
}

export function RawRequest({ model, rawRequest }: RawRequestProps) {
  const [isIndented, setIsIndented] = useState(true)
  const text = useMemo(() => rawRequest && formatRequest(rawRequest, isIndented), [rawRequest, isIndented])
  if (!rawRequest || text === null)
    return model === 'offline' ? (
      <EmptyState title={t('context.wireOffline')} hint={t('context.wireOfflineHint')} />
    ) : (
      <EmptyState title={t('context.wireMissing')} hint={t('context.wireMissingHint')} />
    )
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="wire">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5 text-[12px] text-muted">
        <p className="min-w-0 flex-1 basis-60">
          {t('context.wireNote')}
          {rawRequest.leftOut > 0 && ` ${t('context.wireLeftOut', { count: rawRequest.leftOut })}`}
        </p>
        <label className="flex items-center gap-1.5">
          <input type="checkbox" checked={isIndented} onChange={(event) => setIsIndented(event.target.checked)} />
          {t('context.indented')}
        </label>
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

function Difference({ agent, session, from, to }: { agent: string; session: string; from: number; to: number }) {
  const [openIndex, setOpenIndex] = useState<number>()
  const difference = useQuery(api.context.difference.queryOptions({ input: { agent, session, from, to } }))
  return (
    <QueryView query={difference} lines={12}>
      {({ changes }) =>
        changes.every(({ kind }) => kind === 'same') ? (
          <EmptyState title={t('context.noDifference')} />
        ) : (
          <ul className="min-h-0 flex-1 overflow-auto p-3 text-[12px]" data-testid="difference">
            {changes.map((change, index) =>
              change.kind === 'same' ? (
                <li key={index} className="px-2 py-1 text-muted">
                  {t('context.same', { count: change.count })}
                </li>
              ) : (
                <li
                  key={index}
                  className={`mb-1 rounded-sm px-2 py-1.5 ${change.kind === 'added' ? 'bg-added-wash' : 'bg-removed-wash'}`}
                >
                  <p className="flex items-center gap-2">
                    <span
                      aria-hidden
                      className="size-2.5 rounded-[3px]"
                      style={{ background: layerColor(change.layer) }}
                    />
                    <strong className="font-medium">
                      {t(`context.${change.kind}`)}: {itemName(change)}
                    </strong>
                    <span className="tabular text-muted">{formatNumber(change.text.length)}</span>
                    <Button look="link" onClick={() => setOpenIndex(openIndex === index ? undefined : index)}>
                      {t(openIndex === index ? 'context.less' : 'context.all')}
                    </Button>
                  </p>
                  <pre
                    className={`font-mono break-words whitespace-pre-wrap ${openIndex === index ? 'max-h-[50vh] overflow-auto' : 'line-clamp-3'}`}
                  >
                    {openIndex === index ? change.text : change.text.slice(0, 600)}
                  </pre>
                </li>
              ),
            )}
          </ul>
        )
      }
    </QueryView>
  )
}
