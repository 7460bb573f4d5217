import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'

/** Characters of a project-context file that a request includes. */
const maxContextCharacters = 20_000

/** Larger texts are not counted, in characters. */
export const maxCounted = 500_000

const fewCharacters = 30_000
const settleMs = 500

/** Shows words and tokens; with a limit, also the part of the file that fits into a request. */
export function Counts({ text, hasLimit }: { text: string; hasLimit: boolean }) {
  const { t } = useTranslation()
  const counted = useDebounced(text, text.length > fewCharacters ? settleMs : 0)
  const isTooLong = text.length > maxCounted
  const words = useMemo(() => (isTooLong ? 0 : countWords(counted)), [counted, isTooLong])
  const tokens = useMemo(() => (isTooLong ? 0 : estimateTokens(counted)), [counted, isTooLong])
  if (isTooLong) return null
  const isOver = text.length > maxContextCharacters
  return (
    <span className={hasLimit && isOver ? 'text-warning' : 'max-sm:hidden'}>
      {hasLimit && isOver
        ? t('file.limit', { characters: formatNumber(text.length), limit: formatNumber(maxContextCharacters) })
        : t('file.words', { words: formatNumber(words), tokens: formatNumber(tokens) })}
    </span>
  )
}
