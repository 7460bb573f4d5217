import { useMemo } from 'react'
import { t } from 'i18next'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { useDebounced } from '#lib/util/use-debounced.ts'

/** A request includes at most this many characters of a context file. */
const maxContextCharacters = 20_000

/** Longer texts are not counted. In characters. */
export const maxCountedLength = 500_000

/** Longer texts are counted after a pause in typing. In characters. */
const maxImmediateLength = 30_000
const debounceMs = 500

/** Shows the number of words and tokens, or a warning if a context file exceeds the limit. */
export function Counts({ text, hasLimit }: { text: string; hasLimit: boolean }) {
  const debouncedText = useDebounced(text, text.length > maxImmediateLength ? debounceMs : 0)
  const isTooLong = text.length > maxCountedLength
  const words = useMemo(() => (isTooLong ? 0 : countWords(debouncedText)), [debouncedText, isTooLong])
  const tokens = useMemo(() => (isTooLong ? 0 : estimateTokens(debouncedText)), [debouncedText, isTooLong])
  if (isTooLong) return null
  const isOverLimit = hasLimit && text.length > maxContextCharacters
  return (
    <span className={isOverLimit ? 'text-warning' : 'max-sm:hidden'}>
      {isOverLimit
        ? t('file.limit', { characters: formatNumber(text.length), limit: formatNumber(maxContextCharacters) })
        : t('file.words', { words: formatNumber(words), tokens: formatNumber(tokens) })}
    </span>
  )
}
