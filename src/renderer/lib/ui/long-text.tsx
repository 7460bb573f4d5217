import { t } from 'i18next'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, ChevronDown, ChevronUp, Copy } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../i18n/format.ts'
import type { MarkedLines } from '../router/paths.ts'
import { Button, IconButton, SearchField } from './elements.tsx'
import { splitLongLines, clipPassage, limitCombiningMarks } from '../util/clip.ts'
import { useCopy } from '../util/hooks.ts'
import { Sheet } from './frames.tsx'

const lineHeight = 20

export function LongText({ text, label, marked }: { text: string; label: string; marked?: MarkedLines | undefined }) {
  const { isCopied, copy } = useCopy()
  const [query, setQuery] = useState('')
  const [hitIndex, setHitIndex] = useState(0)
  const frame = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => text.split('\n'), [text])
  const rows = useMemo(() => splitLongLines(lines), [lines])
  const [firstMarked, lastMarked] = useMemo(() => {
    const rowsBefore = (line: number) => splitLongLines(lines.slice(0, line)).length
    return marked ? [rowsBefore(marked.startLine - 1), rowsBefore(marked.endLine) - 1] : [-1, -1]
  }, [lines, marked])
  const hits = useMemo(() => {
    const needle = query.trim().toLowerCase()
    return needle === '' ? [] : rows.flatMap((row, index) => (row.toLowerCase().includes(needle) ? [index] : []))
  }, [rows, query])
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  })
  useEffect(() => {
    if (firstMarked >= 0) virtualizer.scrollToIndex(firstMarked, { align: 'center' })
  }, [firstMarked, virtualizer])
  const goToHit = (newIndex: number) => {
    const next = (newIndex + hits.length) % Math.max(1, hits.length)
    setHitIndex(next)
    const row = hits[next]
    if (row !== undefined) virtualizer.scrollToIndex(row, { align: 'center' })
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        <div className="flex min-w-0 items-center gap-2">
          <SearchField
            label={t('longText.find')}
            value={query}
            onChange={(value) => {
              setQuery(value)
              setHitIndex(-1)
            }}
            onKeyDown={(event) => event.key === 'Enter' && goToHit(hitIndex + (event.shiftKey ? -1 : 1))}
          />
          {query.trim() !== '' && (
            <span role="status" className="tabular text-[12px] text-muted">
              {hits.length === 0
                ? t('longText.none')
                : `${formatNumber(Math.max(0, hitIndex) + 1)}/${formatNumber(hits.length)}`}
            </span>
          )}
          {([-1, 1] as const).map((step) => (
            <IconButton
              key={step}
              icon={step < 0 ? ChevronUp : ChevronDown}
              label={t(step < 0 ? 'longText.previous' : 'longText.next')}
              disabled={hits.length === 0}
              onClick={() => goToHit(hitIndex + step)}
            />
          ))}
        </div>
        <span className="flex-1" />
        <span className="tabular text-[12px] text-muted">
          {t('longText.size', { lines: formatNumber(lines.length), characters: formatNumber(text.length) })}
        </span>
        <Button look="quiet" icon={isCopied ? Check : Copy} onClick={() => copy(text)}>
          {t(isCopied ? 'chat.copied' : 'chat.copy')}
        </Button>
      </div>
      <div
        ref={frame}
        role="document"
        aria-label={label}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto py-2 font-mono text-[12px] leading-5 outline-none"
      >
        <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              ref={virtualizer.measureElement}
              data-index={index}
              className={`absolute left-0 w-full px-4 break-words whitespace-pre-wrap ${hits[hitIndex] === index || (index >= firstMarked && index <= lastMarked) ? 'bg-found' : ''}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Highlight text={rows[index] || ' '} words={query.trim() === '' ? [] : [query.trim()]} />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** Shows the beginning of a text and, if it is long, a button that opens the rest. The parent provides the frame. */
export function ClippedText({ text, className }: { text: string; className: string }) {
  const clipped = clipPassage(text)
  return (
    <>
      <pre tabIndex={0} className={className}>
        {limitCombiningMarks(clipped)}
      </pre>
      {clipped.length < text.length && <ShowAll text={text} />}
    </>
  )
}

export function ShowAll({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="link" className="text-[12px]" onClick={() => setIsOpen(true)}>
        {t('plain.showAll', { characters: formatNumber(text.length) })}
      </Button>
      {isOpen && (
        <Sheet title={t('plain.whole')} onClose={() => setIsOpen(false)}>
          <LongText text={text} label={t('plain.whole')} />
        </Sheet>
      )}
    </>
  )
}

export function Highlight({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text
  const longestFirst = words.toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word))
  return text.split(new RegExp(`(${longestFirst.join('|')})`, 'giu')).map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} className="rounded-[3px] bg-found px-0.5 text-text">
        {part}
      </mark>
    ) : (
      part
    ),
  )
}
