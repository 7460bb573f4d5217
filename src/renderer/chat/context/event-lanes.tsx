/** What happened between the requests: a dot for each, one lane for a kind. */
import { useTranslation } from 'react-i18next'
import type { ContextEvent } from '#shared/contract/index.ts'

export const eventColor = {
  flush: 'bg-good',
  compaction: 'bg-bad',
  prune: 'bg-warning',
  notice: 'bg-warning',
  command: 'bg-muted',
} as const

/** What has a lane of its own above the chart, from the top. */
export const lanes = ['flush', 'compaction', 'prune'] as const

const laneHeight = 15

interface EventLanesProps {
  /** How many requests there are. */
  readonly count: number
  readonly events: readonly ContextEvent[]
  readonly openEvent: string | undefined
  readonly onEvent: (id: string | undefined) => void
}

export function EventLanes({ count, events, openEvent, onEvent }: EventLanesProps) {
  const { t } = useTranslation()
  return (
    <div className="relative" style={{ height: lanes.length * laneHeight }}>
      {events.map(({ id, before, event }) => (
        <button
          key={id}
          type="button"
          aria-pressed={openEvent === id}
          title={t(`context.event.${event.type}`)}
          aria-label={t('context.eventAt', { event: t(`context.event.${event.type}`), number: before })}
          onClick={() => onEvent(openEvent === id ? undefined : id)}
          className={`absolute size-3.5 -translate-x-1/2 rounded-full border-2 border-paper ${eventColor[event.type]} aria-pressed:border-text`}
          style={{
            left: `${((before - 0.5) / Math.max(1, count)) * 100}%`,
            top:
              Math.max(
                0,
                lanes.findIndex((type) => type === event.type),
              ) * laneHeight,
          }}
        />
      ))}
    </div>
  )
}
