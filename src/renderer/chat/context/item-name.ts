import { useTranslation } from 'react-i18next'
import type { ContextItem } from '#shared/contract/index.ts'
import { messageRangeOfItem, toolNameOfItem } from '#shared/chat/context-items.ts'
import { formatNumber } from '#lib/i18n/format.ts'

export function useItemName(): (item: Pick<ContextItem, 'layer' | 'name'>) => string {
  const { t } = useTranslation()
  return ({ layer, name }) => {
    if (layer === 'tools') return name
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
}
