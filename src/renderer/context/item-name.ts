/** A few items are named by what they are, the others by a file's or a tool's name. */
import { useTranslation } from 'react-i18next'
import type { ContextItem } from '../../shared/contract/index.ts'

export function useItemName(): (item: Pick<ContextItem, 'layer' | 'name'>) => string {
  const { t } = useTranslation()
  return ({ layer, name }) => {
    if (layer === 'tools') return name
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
