import { useMemo, useState } from 'react'
import { t } from 'i18next'
import type { ContextEvent, ContextStep } from '#shared/contract/index.ts'
import { formatMoney, formatNumber, formatShort, formatMoment } from '#lib/i18n/format.ts'
import { layerColor, thresholdsOf } from './context-table.tsx'
import { layers } from '#shared/chat/context-items.ts'
import { Button, MoreButton } from '#lib/ui/elements.tsx'

interface TimelineProps {
  readonly steps: readonly ContextStep[]
  readonly events: readonly ContextEvent[]
  /** 0-based index of the selected request. */
  readonly selectedIndex: number
  readonly onStep: (index: number) => void
  readonly openEventId: string | undefined
  readonly onEvent: (id: string | undefined) => void
}

const chartHeight = 132

export function Timeline({ steps, events, selectedIndex, onStep, openEventId, onEvent }: TimelineProps) {
  const [isTableOpen, setIsTableOpen] = useState(false)
  const maxTokens = useMemo(() => Math.max(0, ...steps.map(({ estimatedTokens }) => estimatedTokens)), [steps])
  const scale = Math.max(1, maxTokens) * headroom
  const polygons = useMemo(() => layerPolygons(steps, chartHeight, scale), [steps, scale])
  const y = (tokens: number) => chartHeight - (tokens / scale) * chartHeight
  const step = steps[selectedIndex]
  const totalCost = steps.reduce((sum, { usage }) => sum + (usage?.cost?.total ?? 0), 0)
  const title = t('context.request', { number: selectedIndex + 1 })
  return (
    <section aria-label={t('context.timeline')} className="mt-10">
      <h2 className="flex items-baseline gap-4 pb-2">
        <span className="font-semibold">{t('context.timeline')}</span>
        <span className="tabular text-[12px] text-muted">
          {t('context.requests', { count: steps.length })}
          {totalCost > 0 && ` · ${formatMoney(totalCost)}`}
        </span>
      </h2>
      <EventLanes count={steps.length} events={events} openEventId={openEventId} onEvent={onEvent} />
      <div className="relative" style={{ height: chartHeight }}>
        <svg
          role="img"
          aria-label={t('context.chart', {
            count: steps.length,
            most: formatShort(maxTokens),
            events: events.length,
          })}
          viewBox={`0 0 1000 ${chartHeight}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full rounded-sm bg-side"
          onClick={(event) => {
            const { left, width } = event.currentTarget.getBoundingClientRect()
            const share = (event.clientX - left) / width
            onStep(Math.min(steps.length - 1, Math.max(0, Math.floor(share * steps.length))))
          }}
        >
          {polygons.map(({ layer, points }) => (
            <polygon key={layer} points={points} style={{ fill: layerColor(layer) }} />
          ))}
          {step &&
            thresholdsOf(step).map(([name, tokens]) =>
              tokens > scale ? null : (
                <line
                  key={name}
                  x1={0}
                  x2={1000}
                  y1={y(tokens)}
                  y2={y(tokens)}
                  className="stroke-text"
                  strokeDasharray="4 4"
                  vectorEffect="non-scaling-stroke"
                />
              ),
            )}
          <line
            x1={xOf(selectedIndex, steps.length)}
            x2={xOf(selectedIndex, steps.length)}
            y1={0}
            y2={chartHeight}
            className="stroke-accent"
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </div>
      <input
        type="range"
        aria-label={t('context.choose')}
        aria-valuetext={step && `${title}: ${formatNumber(step.estimatedTokens)}`}
        min={0}
        max={Math.max(0, steps.length - 1)}
        value={selectedIndex}
        onChange={(event) => onStep(event.target.valueAsNumber)}
        className="mt-1 w-full accent-accent"
      />
      <p className="flex flex-wrap items-center gap-x-5 text-[12px] text-muted">
        {lanes.map((type) => (
          <span key={type} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2.5 rounded-full ${eventColor[type]}`} />
            {t(`context.event.${type}`)}
          </span>
        ))}
        {step?.usage && (
          <span className="tabular ml-auto">
            {t('context.cache', {
              read: formatNumber(step.usage.cacheRead),
              written: formatNumber(step.usage.cacheWrite),
            })}
            {step.usage.cost && ` · ${formatMoney(step.usage.cost.total)}`}
          </span>
        )}
      </p>
      <details className="mt-2" onToggle={(event) => setIsTableOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer text-[12px] text-muted">{t('common.asTable')}</summary>
        {isTableOpen && <StepTable steps={steps} selectedIndex={selectedIndex} onStep={onStep} />}
      </details>
    </section>
  )
}

const chartWidth = 1000
const headroom = 1.15

export function xOf(index: number, count: number): number {
  return ((index + 0.5) / Math.max(1, count)) * chartWidth
}

/** Returns one stacked polygon per layer, the first layer at the bottom. All steps have the same width. */
export function layerPolygons(steps: readonly ContextStep[], height: number, scale: number) {
  const stackedTokens = steps.map(() => 0)
  const y = (tokens: number) => (height - (tokens / scale) * height).toFixed(1)
  const left = (index: number) => ((index / steps.length) * chartWidth).toFixed(1)
  return layers.flatMap((layer) => {
    const lower: string[] = []
    const upper: string[] = []
    let hasTokens = false
    for (const [index, step] of steps.entries()) {
      const tokens = step.layers[layer] ?? 0
      const bottom = stackedTokens[index] ?? 0
      hasTokens ||= tokens > 0
      lower.push(`${left(index)},${y(bottom)}`, `${left(index + 1)},${y(bottom)}`)
      upper.push(`${left(index)},${y(bottom + tokens)}`, `${left(index + 1)},${y(bottom + tokens)}`)
      stackedTokens[index] = bottom + tokens
    }
    return hasTokens ? [{ layer, points: [...lower, ...upper.reverse()].join(' ') }] : []
  })
}

const eventColor = {
  flush: 'bg-good',
  compaction: 'bg-bad',
  prune: 'bg-warning',
  notice: 'bg-warning',
  privateMatches: 'bg-muted',
  command: 'bg-muted',
} as const

const lanes: readonly ContextEvent['event']['type'][] = ['flush', 'compaction', 'prune']

const laneHeight = 15

type EventLanesProps = Pick<TimelineProps, 'events' | 'openEventId' | 'onEvent'> & { readonly count: number }

function EventLanes({ count, events, openEventId, onEvent }: EventLanesProps) {
  return (
    <div className="relative" style={{ height: lanes.length * laneHeight }}>
      {events.map(({ id, before, event }) => (
        <button
          key={id}
          type="button"
          aria-pressed={openEventId === id}
          title={t(`context.event.${event.type}`)}
          aria-label={t('context.eventAt', { event: t(`context.event.${event.type}`), number: before })}
          onClick={() => onEvent(openEventId === id ? undefined : id)}
          className={`absolute size-3.5 -translate-x-1/2 rounded-full border-2 border-paper ${eventColor[event.type]} aria-pressed:border-text`}
          style={{
            left: `${((before - 0.5) / Math.max(1, count)) * 100}%`,
            top: Math.max(0, lanes.indexOf(event.type)) * laneHeight,
          }}
        />
      ))}
    </div>
  )
}

const pageSize = 50

function StepTable({ steps, selectedIndex, onStep }: Pick<TimelineProps, 'steps' | 'selectedIndex' | 'onStep'>) {
  const [limit, setLimit] = useState(pageSize)
  const newest = steps.map((step, index) => ({ step, index })).toReversed()
  return (
    <>
      <table className="mt-2 w-full text-left text-[12px]">
        <thead className="text-muted">
          <tr className="border-b border-line">
            <th className="py-1 font-medium">#</th>
            <th className="font-medium">{t('savedSearches.when')}</th>
            <th className="font-medium">{t('context.question')}</th>
            <th className="text-right font-medium">{t('context.tokens')}</th>
            <th className="text-right font-medium">{t('context.cacheRead')}</th>
            <th className="text-right font-medium">{t('context.cacheWritten')}</th>
            <th className="text-right font-medium">{t('details.cost')}</th>
          </tr>
        </thead>
        <tbody>
          {newest.slice(0, limit).map(({ step: { id, sentAt, question, estimatedTokens, usage }, index }) => (
            <tr
              key={id}
              data-testid="step"
              aria-current={index === selectedIndex}
              className="border-b border-soft aria-[current=true]:bg-accent-wash"
            >
              <td className="py-0.5">
                <Button look="link" className="tabular" onClick={() => onStep(index)}>
                  {formatNumber(index + 1)}
                </Button>
              </td>
              <td className="whitespace-nowrap text-muted">{formatMoment(sentAt)}</td>
              <td className="w-full max-w-0 truncate px-4">{question}</td>
              <td className="tabular pl-4 text-right">{formatNumber(estimatedTokens)}</td>
              <td className="tabular pl-4 text-right">{usage ? formatNumber(usage.cacheRead) : '–'}</td>
              <td className="tabular pl-4 text-right">{usage ? formatNumber(usage.cacheWrite) : '–'}</td>
              <td className="tabular pl-4 text-right">{usage?.cost ? formatMoney(usage.cost.total) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {steps.length > limit && <MoreButton onClick={() => setLimit(limit + pageSize)} />}
    </>
  )
}
