import { Check, Copy, WrapText } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '#lib/ui/button.tsx'
import { clipPassage } from '#lib/util/clip.ts'
import { ShowAll } from '#lib/ui/clipped-text.tsx'
import { useCopy } from '#lib/util/copy-text.ts'
import { highlight, cachedHighlight, type HighlightedLines } from './highlight.ts'

const settleMs = 120

interface CodeBlockProps {
  readonly code: string
  readonly language: string
  /** Maximum number of highlighted spans; the remaining lines stay plain. */
  readonly maxSpans?: number
}

export function CodeBlock({ code, language, maxSpans = Infinity }: CodeBlockProps) {
  const { t } = useTranslation()
  const [isWrapped, setIsWrapped] = useState(false)
  const { isCopied, copy } = useCopy()
  const shown = clipPassage(code)
  const lines = useHighlight(shown, language)
  return (
    <figure className="group/code relative my-3 overflow-hidden rounded-sm border border-line bg-side">
      <figcaption className="flex h-8 items-center border-b border-line pr-1 pl-3 text-[12px] text-muted">
        <span className="flex-1 font-mono">{language}</span>
        <IconButton label={t('chat.wrap')} aria-pressed={isWrapped} onClick={() => setIsWrapped(!isWrapped)}>
          <WrapText size={13} />
        </IconButton>
        <IconButton label={t(isCopied ? 'chat.copied' : 'chat.copyCode')} onClick={() => copy(code)}>
          {isCopied ? <Check size={13} /> : <Copy size={13} />}
        </IconButton>
      </figcaption>
      <pre
        tabIndex={0}
        className={`overflow-x-auto px-3 py-2.5 font-mono text-[12.5px] leading-[1.55] ${isWrapped ? 'whitespace-pre-wrap' : ''}`}
      >
        <code className="highlighted">{lines ? <Lines lines={lines} maxSpans={maxSpans} /> : shown}</code>
      </pre>
      {shown.length < code.length && (
        <div className="border-t border-line px-3 py-1">
          <ShowAll text={code} />
        </div>
      )}
    </figure>
  )
}

interface LinesProps {
  readonly lines: NonNullable<HighlightedLines>
  readonly maxSpans: number
}

function Lines({ lines, maxSpans }: LinesProps) {
  const end = endOf(lines, maxSpans)
  const coloured = end < 0 ? lines : lines.slice(0, end)
  const rest =
    end < 0
      ? ''
      : lines
          .slice(end)
          .map((line) => line.map(({ text }) => text).join(''))
          .join('\n')
  return (
    <>
      {coloured.map((line, index) => (
        <span key={index}>
          {line.map(({ text, light, dark }, position) => (
            <span key={position} style={{ '--light': light, '--dark': dark } as React.CSSProperties}>
              {text}
            </span>
          ))}
          {index < lines.length - 1 && '\n'}
        </span>
      ))}
      {rest}
    </>
  )
}

/** Returns the 0-based line at which `maxSpans` is exceeded, or -1 if all lines can be highlighted. */
function endOf(lines: LinesProps['lines'], maxSpans: number): number {
  let spans = 0
  for (const [index, line] of lines.entries()) {
    spans += line.length
    if (spans > maxSpans) return index
  }
  return -1
}

function useHighlight(code: string, language: string): HighlightedLines {
  const [coloured, setColoured] = useState<{ code: string; lines: HighlightedLines }>()
  const known = cachedHighlight(code, language)
  useEffect(() => {
    if (language === '' || cachedHighlight(code, language) !== undefined) return undefined
    let isCurrent = true
    const timer = setTimeout(() => {
      void highlight(code, language).then((lines) => isCurrent && setColoured({ code, lines }))
    }, settleMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [code, language])
  if (known !== undefined) return known
  return coloured?.code === code ? coloured.lines : null
}
