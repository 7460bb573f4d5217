import { useMemo } from 'react'
import { t } from 'i18next'
import { sectionsOf } from '#shared/markdown/sections.ts'
import { clipLine } from '#lib/util/clip.ts'
import { plainTitle } from '#lib/notes/plain-title.ts'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { useDebounced } from '#lib/util/hooks.ts'

/** Shorter outlines are not shown. */
const minHeadings = 3
const maxHeadings = 1000

export function Outline({ text, onChoose }: { text: string; onChoose: (line: number) => void }) {
  const sections = useMemo(() => (text.length > maxCountedLength ? [] : sectionsOf(text.split('\n'))), [text])
  if (sections.length < minHeadings) return null
  return (
    <nav
      aria-label={t('file.outline')}
      className="hidden w-52 shrink-0 overflow-y-auto border-l border-line px-2 py-3 text-[12px] xl:block"
    >
      {sections.slice(0, maxHeadings).map(({ title, level, from: line }) => (
        <button
          key={line}
          type="button"
          onClick={() => onChoose(line)}
          className="block min-h-6 w-full truncate rounded-sm px-2 text-left text-muted hover:bg-soft hover:text-text"
          style={{ paddingLeft: level * 8 }}
        >
          {clipLine(plainTitle(title), 100)}
        </button>
      ))}
      {sections.length > maxHeadings && <p className="px-2 py-1 text-muted">…</p>}
    </nav>
  )
}

/** A request includes at most this many characters of a context file. */
const maxContextCharacters = 20_000

/** Longer texts are not counted. In characters. */
const maxCountedLength = 500_000

/** Longer texts are counted after a pause in typing. In characters. */
const maxImmediateLength = 30_000
const debounceMs = 500

/** Shows the number of words and tokens, or a warning if a context file exceeds the limit. */
export function TextCounts({ text, hasLimit }: { text: string; hasLimit: boolean }) {
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
