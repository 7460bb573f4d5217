import { WrapText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from 'i18next'
import { CopyButton, IconButton } from '#lib/ui/button.tsx'
import { clipPassage } from '#lib/util/clip.ts'
import { ShowAll } from '#lib/ui/long-text.tsx'
import { DeadlineWorker } from '#lib/util/deadline-worker.ts'
import { useDocumentContext } from './context.ts'
import type { HighlightedLines, HighlightRequest } from './highlight.worker.ts'

const highlightDelayMs = 120
/** Some grammars backtrack excessively on a line. */
const deadlineMs = 10_000
const maxCachedResults = 200

/** The key of a request is its language and its code. */
const highlighter = new DeadlineWorker<HighlightRequest, HighlightedLines>(
  () => new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  maxCachedResults,
)

/** Maximum number of highlighted spans in a note; the remaining lines stay plain. More would slow down scrolling. */
const maxSpansInNote = 900

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const maxSpans = useDocumentContext().syntax === 'answer' ? Infinity : maxSpansInNote
  const [isWrapped, setIsWrapped] = useState(false)
  const shownCode = clipPassage(code)
  const lines = useHighlight(shownCode, language)
  return (
    <figure className="group/code relative my-3 overflow-hidden rounded-sm border border-line bg-side">
      <figcaption className="flex h-8 items-center border-b border-line pr-1 pl-3 text-[12px] text-muted">
        <span className="flex-1 font-mono">{language}</span>
        <IconButton
          icon={WrapText}
          label={t('chat.wrap')}
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
        />
        <CopyButton label={t('chat.copyCode')} text={code} />
      </figcaption>
      <pre
        tabIndex={0}
        className={`overflow-x-auto px-3 py-2.5 font-mono text-[12.5px] leading-[1.55] ${isWrapped ? 'whitespace-pre-wrap' : ''}`}
      >
        <code className="highlighted">{lines ? <Lines lines={lines} maxSpans={maxSpans} /> : shownCode}</code>
      </pre>
      {shownCode.length < code.length && (
        <div className="border-t border-line px-3 py-1">
          <ShowAll text={code} />
        </div>
      )}
    </figure>
  )
}

function Lines({ lines, maxSpans }: { lines: NonNullable<HighlightedLines>; maxSpans: number }) {
  let spans = 0
  return lines.map((line, index) => {
    spans += line.length
    return (
      <span key={index}>
        {spans > maxSpans
          ? line.map(({ text }) => text).join('')
          : line.map(({ text, light, dark }, position) => (
              <span key={position} style={{ '--light': light, '--dark': dark } as React.CSSProperties}>
                {text}
              </span>
            ))}
        {index < lines.length - 1 && '\n'}
      </span>
    )
  })
}

function useHighlight(code: string, language: string): HighlightedLines {
  const [highlighted, setHighlighted] = useState<{ code: string; lines: HighlightedLines }>()
  const key = `${language}\n${code}`
  const cached = highlighter.cached(key)
  useEffect(() => {
    if (language === '' || highlighter.cached(key) !== undefined) return undefined
    let isCurrent = true
    const timer = setTimeout(() => {
      void highlighter.ask(key, { code, language }).then((lines) => isCurrent && setHighlighted({ code, lines }))
    }, highlightDelayMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [key, code, language])
  if (cached !== undefined) return cached
  return highlighted?.code === code ? highlighted.lines : null
}
