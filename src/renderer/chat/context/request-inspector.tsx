import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { formatMoment, formatNumber } from '#lib/i18n/format.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { Choice } from '#lib/ui/choice.tsx'
import { LongText } from '#lib/ui/long-text.tsx'
import { Sheet } from '#lib/ui/sheet.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { useItemName } from './item-name.ts'
import { layerColor } from './layers.ts'
import { RawRequest } from './raw-request.tsx'

interface RequestInspectorProps {
  readonly agent: string
  readonly session: string
  /** 1-based number of the request; undefined for the last one. */
  readonly initial: number | undefined
  readonly onClose: () => void
}

export function RequestInspector({ agent, session, initial, onClose }: RequestInspectorProps) {
  const { t } = useTranslation()
  const [number, setNumber] = useState(initial)
  const [chosenBase, setChosenBase] = useState<number>()
  const [view, setView] = useState<'wire' | 'layers' | 'difference'>('wire')
  const query = useQuery(
    api.context.request.queryOptions({ input: { agent, session, ...(number === undefined ? {} : { number }) } }),
  )
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
            <IconButton label={t('context.earlier')} disabled={current <= 1} onClick={() => setNumber(current - 1)}>
              <ChevronLeft size={14} />
            </IconButton>
            <span className="tabular text-[12px] text-muted" data-testid="request-number">
              {t('context.requestOf', { number: formatNumber(current), count: formatNumber(count) })}
              {request && ` · ${formatMoment(request.sentAt)}`}
            </span>
            <IconButton label={t('context.later')} disabled={current >= count} onClick={() => setNumber(current + 1)}>
              <ChevronRight size={14} />
            </IconButton>
          </span>
        </>
      }
    >
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton lines={12} />
      ) : !request ? (
        <EmptyState title={t('context.noRequest')} />
      ) : view === 'wire' ? (
        <RawRequest model={request.model} rawRequest={request.wire} />
      ) : view === 'layers' ? (
        <LongText text={request.json} label={title} />
      ) : (
        <Difference agent={agent} session={session} from={Math.min(base, current)} to={Math.max(base, current)} />
      )}
    </Sheet>
  )
}

function Difference({ agent, session, from, to }: { agent: string; session: string; from: number; to: number }) {
  const { t } = useTranslation()
  const nameOf = useItemName()
  const [openIndex, setOpenIndex] = useState<number>()
  const difference = useQuery(api.context.difference.queryOptions({ input: { agent, session, from, to } }))
  if (difference.error) return <ErrorState error={difference.error} onRetry={() => void difference.refetch()} />
  if (!difference.data) return <Skeleton lines={12} />
  const { changes } = difference.data
  if (changes.every(({ kind }) => kind === 'same')) return <EmptyState title={t('context.noDifference')} />
  return (
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
              <span aria-hidden className="size-2.5 rounded-[3px]" style={{ background: layerColor(change.layer) }} />
              <strong className="font-medium">
                {t(`context.${change.kind}`)}: {nameOf(change)}
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
