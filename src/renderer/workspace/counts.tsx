/** How much a text is; for what every request takes, also how much of it fits. */
import { useTranslation } from 'react-i18next'
import { countWords, estimateTokens } from '../../shared/tokens.ts'
import { formatNumber } from '../i18n/format.ts'

/** Characters of a project-context file that a request takes (M3). */
const maxContextCharacters = 20_000

/** Words of larger texts are not counted while they are typed. */
export const maxCounted = 500_000

/** How much it is; for what every request takes, also how much of it fits. */
export function Counts({ text, hasLimit }: { text: string; hasLimit: boolean }) {
  const { t } = useTranslation()
  if (text.length > maxCounted) return null
  const isOver = text.length > maxContextCharacters
  return (
    <span className={hasLimit && isOver ? 'text-warning' : 'max-sm:hidden'}>
      {hasLimit && isOver
        ? t('file.limit', { characters: formatNumber(text.length), limit: formatNumber(maxContextCharacters) })
        : t('file.words', { words: formatNumber(countWords(text)), tokens: formatNumber(estimateTokens(text)) })}
    </span>
  )
}
