import { useTranslation } from 'react-i18next'
import { memo, useMemo } from 'react'
import { lazy } from '#shared/util/lazy.ts'
import { MarkdownBlock, type BlockRenderer } from '../chat/markdown-block.tsx'
import { hasMath, isCheapMath } from '../chat/math.ts'
import { PieceView } from '../chat/piece-view.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { components, maxSpans } from './preview-elements.tsx'
import type { Row } from '../parse/parse-document.ts'
import { normalizeFormulas } from '../parse/formulas.ts'
import { RowLineContext, useNote } from './note-context.ts'
import { Properties } from './properties.tsx'
import { rehypeTaskLines, type HtmlElement } from '../parse/rehype-task-lines.ts'
import { notePlugins } from '../parse/note-plugins.ts'
import type { PreviewRow } from '../parse/preview-rows.ts'

const noteRenderer: BlockRenderer = {
  kind: 'note',
  remark: (math) => notePlugins(false, math),
  rehype: [rehypeTaskLines, () => setDirection],
  components,
  loadHtml: lazy(async () => [(await import('../parse/rehype-html.ts')).rehypeHtml]),
}
const noteWithBreaksRenderer: BlockRenderer = {
  ...noteRenderer,
  kind: 'note-with-breaks',
  remark: (math) => notePlugins(true, math),
}

export const RowView = memo(function RowView({ previewRow }: { previewRow: PreviewRow }) {
  useTranslation()
  const { lineOf } = useNote()
  const { text } = previewRow.row
  // If `normalizeFormulas` adds lines, the line numbers of the row are unknown.
  const keepsLines = useMemo(() => normalizeFormulas(text).split('\n').length === text.split('\n').length, [text])
  const lineInNote = useMemo(
    () => (line: number) => (keepsLines ? lineOf(previewRow) + line - 1 : undefined),
    [lineOf, previewRow, keepsLines],
  )
  return (
    <RowLineContext value={lineInNote}>
      <ErrorBoundary piece="text" resetKey={previewRow.row.text}>
        <RowText row={previewRow.row} />
      </ErrorBoundary>
    </RowLineContext>
  )
})

export function RowText({ row }: { row: Row }) {
  switch (row.kind) {
    case 'properties':
      return <Properties frontMatter={row.text} />
    case 'footnote':
      return <Footnote text={row.text} label={row.label} />
    default:
      return (
        <PieceView piece={row} maxSpans={maxSpans}>
          <Block text={row.text} />
        </PieceView>
      )
  }
}

function Block({ text }: { text: string }) {
  const { hasLineBreaks } = useNote()
  const normalized = normalizeFormulas(text)
  return (
    <MarkdownBlock
      text={normalized}
      renderer={hasLineBreaks ? noteWithBreaksRenderer : noteRenderer}
      hasMath={(normalized !== text || text.includes('$$')) && hasMath(normalized) && isCheapMath(normalized)}
      hasHtml={/<\/?[a-z]/i.test(text)}
    />
  )
}

function Footnote({ text, label }: { text: string; label: string }) {
  const { footnotes } = useNote()
  return (
    <div className="footnote" id={`footnote-${label}`}>
      <span className="footnote-number">{footnotes.get(label)}</span>
      <div className="min-w-0 flex-1">
        <Block text={text} />
      </div>
    </div>
  )
}

/** Marks code as left-to-right, so that it does not affect the direction of the text around it. */
function setDirection(node: HtmlElement): void {
  if (node.tagName === 'code') node.properties = { ...node.properties, dir: 'ltr' }
  for (const child of node.children ?? []) setDirection(child)
}
