/** Renders an answer: GFM, code, formulas and citations, without raw HTML. External links open in the browser. */
import { t } from 'i18next'
import { memo, useDeferredValue, useMemo, useRef, type ComponentProps } from 'react'
import type { Components } from 'react-markdown'
import { clipLine } from '#lib/util/clip.ts'
import { DocumentContext, emptyContext } from '../document/context.ts'
import { DocumentRows, type RowsHandle } from '../document/document-rows.tsx'
import { Anchor, FootnoteMark, Preformatted, Table } from '../document/elements.tsx'
import { RowView } from '../document/row-view.tsx'
import { estimateHeight, footnoteLabels, isLongDocument, useDocument } from '../document/use-document.ts'

const answerComponents = {
  a: Anchor,
  // A remote image would contact the server that the answer names, so only the name of the image is shown.
  img: ({ alt, src }: ComponentProps<'img'>) => <span className="text-muted">[{clipLine(alt || src || '')}]</span>,
  pre: Preformatted,
  table: Table,
  'foot-note': FootnoteMark,
} as Components

/** Rows of an answer that render at once; the others follow without blocking the window. */
const firstRows = 12

export const Markdown = memo(function Markdown({ text, agent }: { text: string; agent: string }) {
  const rows = useDocument(text, 'answer')
  const renderedRows = useDeferredValue(rows, rows.slice(0, firstRows))
  const frame = useRef<HTMLDivElement>(null)
  const view = useRef<RowsHandle>(null)
  const labels = footnoteLabels(rows)
  const context = useMemo(() => {
    const onFootnote = (label: string) => {
      view.current?.showFootnote(label)
      frame.current?.querySelector(`[data-footnote="${CSS.escape(label)}"]`)?.scrollIntoView({ block: 'nearest' })
    }
    return { ...emptyContext, agent, components: answerComponents, footnotes: labels.split(' '), onFootnote }
  }, [agent, labels])
  const remainingHeight = rows.slice(renderedRows.length).reduce((sum, row) => sum + estimateHeight(row), 0)
  return (
    <DocumentContext value={context}>
      {isLongDocument(text, 'answer') ? (
        // A long answer scrolls in a separate frame that renders only its visible part.
        <DocumentRows
          ref={view}
          rows={rows}
          label={t('chat.answer')}
          className="prose relative h-[70vh] overflow-y-auto rounded-md border border-line px-4"
          testId="long-answer"
        />
      ) : (
        <div className="prose" ref={frame}>
          {renderedRows.map((row) => (
            <RowView key={row.id} row={row} />
          ))}
          {remainingHeight > 0 && <div style={{ height: remainingHeight }} />}
        </div>
      )}
    </DocumentContext>
  )
})
