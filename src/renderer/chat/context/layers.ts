import { t } from 'i18next'
import type { ContextItem, Layer } from '#shared/contract/index.ts'
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
