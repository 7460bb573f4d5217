import { t } from 'i18next'
import type { ContextItem, ContextReport, Layer } from '#shared/contract/index.ts'
import { formatNumber, formatShort } from '#lib/i18n/format.ts'
import { messageRangeOfItem, toolNameOfItem } from '#shared/chat/context-items.ts'

interface ContextBarProps {
  readonly report: ContextReport
  readonly isSmall?: boolean
  readonly onOpen?: (item: ContextItem) => void
}

export function ContextBar({ report, isSmall = false, onOpen }: ContextBarProps) {
  const width = (tokens: number) => `${Math.min(100, (tokens / report.contextWindow) * 100)}%`
  const label = t('context.meter', {
    tokens: formatShort(report.estimatedTokens),
    window: formatShort(report.contextWindow),
  })
  return (
    <div role="img" aria-label={label} className={isSmall ? 'relative h-1.5' : 'relative mt-8 h-9'}>
      <div className={`absolute inset-0 flex overflow-hidden bg-soft ${isSmall ? 'rounded-full' : 'rounded-sm'}`}>
        {report.items.map((item) =>
          item.tokens === 0 ? null : (
            // Needs no keyboard access: the table contains the same items.
            <div
              key={`${item.layer}/${item.name}`}
              title={`${itemName(item)} · ${formatNumber(item.tokens)}`}
              onClick={onOpen && (() => onOpen(item))}
              className={
                isSmall ? '' : `border-r border-paper/60 hover:brightness-110 ${onOpen ? 'cursor-pointer' : ''}`
              }
              style={{ width: width(item.tokens), background: layerColor(item.layer) }}
            />
          ),
        )}
        <span className="flex-1" />
        <div
          title={`${t('context.reserve')} · ${formatNumber(report.reserveTokens)}`}
          style={{
            width: width(report.reserveTokens),
            backgroundImage: 'repeating-linear-gradient(135deg, var(--line) 0 1px, transparent 1px 5px)',
          }}
        />
      </div>
      {!isSmall &&
        thresholdsOf(report).map(([name, tokens]) => {
          const text = t(`context.${name}`, { tokens: formatShort(tokens) })
          return <Tick key={name} at={width(tokens)} label={text} isHigh={name === 'flush'} />
        })}
    </div>
  )
}

/** A threshold on the bar. The labels of the two thresholds would overlap, so one of them is higher. */
function Tick({ at, label, isHigh = false }: { at: string; label: string; isHigh?: boolean }) {
  return (
    <div className="pointer-events-none absolute -bottom-1 w-px bg-text" style={{ left: at, top: isHigh ? -24 : -8 }}>
      <span
        className={`absolute -top-1 text-[11px] whitespace-nowrap text-muted max-sm:text-[10px] ${isHigh ? 'right-1.5' : 'left-1.5'}`}
      >
        {label}
      </span>
    </div>
  )
}

export function layerColor(layer: Layer): string {
  return `var(--layer-${layer})`
}

export function itemName({ layer, name }: Pick<ContextItem, 'layer' | 'name'>): string {
  if (layer === 'tools') return name
  if (layer === 'recalled') return t('context.layers.recalled')
  const tool = layer === 'system' ? toolNameOfItem(name) : undefined
  if (tool !== undefined) return t('context.name.tool', { name: tool })
  const range = layer === 'conversation' ? messageRangeOfItem(name) : undefined
  if (range)
    return t(range.from === range.to ? 'context.name.oneMessage' : 'context.name.messages', {
      from: formatNumber(range.from),
      to: formatNumber(range.to),
    })
  switch (name) {
    case 'system prompt':
    case 'tools':
    case 'conversation':
    case 'message':
    case 'summary':
      return t(`context.name.${name}`)
    default:
      return name
  }
}

/** Returns the thresholds of the steps that the settings do not turn off, in tokens. */
export function thresholdsOf({ flushAt, compactAt, off = [] }: Pick<ContextReport, 'flushAt' | 'compactAt' | 'off'>) {
  const thresholds = [['flush', flushAt] as const, ['compact', compactAt] as const]
  return thresholds.filter(([name]) => !off.includes(name))
}
