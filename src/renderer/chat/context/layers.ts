import { t } from 'i18next'
import type { ContextItem, ContextReport, Layer } from '#shared/contract/index.ts'
import { messageRangeOfItem, toolNameOfItem } from '#shared/chat/context-items.ts'
import { formatNumber } from '#lib/i18n/format.ts'

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
