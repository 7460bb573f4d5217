import { useTranslation } from 'react-i18next'
import { memo, useMemo } from 'react'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { hasMath, isCheapMath, normalizeFormulas } from '../parse/math.ts'
import type { Row } from '../parse/parse-document.ts'
import { CodeBlock } from './code-block.tsx'
import { RowLineContext, useDocumentContext } from './context.ts'
import type { DocumentRow } from './use-document.ts'
import { MarkdownBlock, PlainPassage } from './markdown-block.tsx'
import { Properties } from './properties.tsx'

export const RowView = memo(function RowView({ row }: { row: DocumentRow }) {
  useTranslation()
  const { text, line: firstLine } = row
  const lineInNote = useMemo(() => {
    // If `normalizeFormulas` adds lines, the line numbers of the row are unknown.
    const keepsLines = normalizeFormulas(text).split('\n').length === text.split('\n').length
    return (line: number) => (keepsLines ? firstLine + line - 1 : undefined)
  }, [text, firstLine])
  return (
    <RowLineContext value={lineInNote}>
      <ErrorBoundary piece="text" resetKey={text}>
        <RowText row={row} />
      </ErrorBoundary>
    </RowLineContext>
  )
})

/** Indentation of a list level. */
const indentEm = 1.4

export function RowText({ row }: { row: Row }) {
  if (row.kind === 'properties') return <Properties frontMatter={row.text} />
  if (row.kind === 'footnote') return <Footnote text={row.text} label={row.label} />
  if (row.kind === 'code') return <CodeBlock code={row.text} language={row.language} />
  const content =
    row.kind === 'plain' ? <PlainPassage text={row.text} reason={row.reason} /> : <Block text={row.text} />
  return row.depth === 0 ? content : <div style={{ paddingInlineStart: `${row.depth * indentEm}em` }}>{content}</div>
}

function Block({ text }: { text: string }) {
  const { syntax, components } = useDocumentContext()
  const normalized = syntax === 'answer' ? text : normalizeFormulas(text)
  return (
    <MarkdownBlock
      text={normalized}
      syntax={syntax}
      components={components}
      hasMath={hasMath(normalized) && isCheapMath(normalized)}
      hasHtml={syntax !== 'answer' && /<\/?[a-z]/i.test(text)}
    />
  )
}

function Footnote({ text, label }: { text: string; label: string }) {
  const number = useDocumentContext().footnotes.indexOf(label) + 1
  return (
    <div className={`footnote ${number === 1 ? 'footnotes-start' : ''}`} data-footnote={label}>
      <span className="footnote-number">{number}</span>
      <div className="min-w-0 flex-1">
        <Block text={text} />
      </div>
    </div>
  )
}
