import { useVirtualizer } from '@tanstack/react-virtual'
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, memo, useDeferredValue, type Ref } from 'react'
import type { MarkedLines } from '#lib/router/paths.ts'
import {
  estimateHeight,
  documentWidth,
  rowOfLine,
  footnoteLabels,
  isLongDocument,
  useDocument,
  type DocumentRow,
} from './use-document.ts'
import { Anchor, FootnoteMark, Preformatted, Table } from './elements.tsx'
import { RowView } from './row-view.tsx'
import { t } from 'i18next'
import type { Components } from 'react-markdown'
import { clipLine } from '#lib/util/clip.ts'
import { DocumentContext, emptyContext } from './context.ts'

const overscan = 4
const paddingTop = 20
/** Number of frames in which a jump corrects its position, while the rows above the target are measured. */
const maxCorrections = 8

export interface RowsHandle {
  /** Scrolls a source line (1-based, may be fractional) to the top. `isCentred`: its row to the upper third instead. */
  follow(line: number, isCentred?: boolean): void
  showFootnote(label: string): void
  /** Returns the source line at the top, with a fraction for the hidden part of its row. */
  topLine(): number
}

interface DocumentRowsProps {
  readonly ref?: Ref<RowsHandle>
  readonly rows: readonly DocumentRow[]
  readonly label: string
  readonly className: string
  readonly testId: string
  readonly marked?: MarkedLines | undefined
  readonly onScroll?: () => void
}

export function DocumentRows({ ref, rows, label, className, testId, marked, onScroll }: DocumentRowsProps) {
  const heights = useMemo(() => rows.map(estimateHeight), [rows])
  const firstMarked = marked ? rowOfLine(rows, marked.startLine) : -1
  const lastMarked = marked ? rowOfLine(rows, marked.endLine) : -1
  const container = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => container.current,
    initialRect: { width: documentWidth, height: 900 },
    estimateSize: (index) => heights[index] ?? 0,
    // Edited rows keep their id and so their measured height.
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan,
    paddingStart: paddingTop,
  })
  useLayoutEffect(() => {
    // The browser's scroll anchoring does this already.
    virtualizer.shouldAdjustScrollPositionOnItemSizeChange = () => false
  }, [virtualizer])

  const lastJump = useRef(0)
  const scrollTo = (index: number, share: number, isCentred: boolean) => {
    let remaining = maxCorrections
    lastJump.current += 1
    const thisJump = lastJump.current
    const correctPosition = () => {
      const element = container.current
      const item = virtualizer.measurementsCache[index]
      if (!element || !item || lastJump.current !== thisJump) return
      const rowElement = element.querySelector<HTMLElement>(`:scope > [data-index="${index}"]`)
      const top = rowElement?.offsetTop ?? item.start
      const hiddenHeight = share * (rowElement?.offsetHeight ?? item.size)
      // The first row scrolls to the very top, including the padding.
      const isStart = index === 0 && share === 0
      const scrollTop = isCentred ? top - element.clientHeight / 3 : isStart ? 0 : top + hiddenHeight
      if (Math.abs(element.scrollTop - scrollTop) > 1) element.scrollTop = scrollTop
      remaining -= 1
      if (remaining > 0 && !(rowElement && remaining < maxCorrections - 2)) requestAnimationFrame(correctPosition)
    }
    correctPosition()
  }
  useImperativeHandle(ref, () => {
    const linesOf = (index: number): readonly [from: number, to: number] => {
      const from = rows[index]?.line ?? 1
      return [from, Math.max(from + 1, rows[index + 1]?.line ?? 0)]
    }
    return {
      follow(line, isCentred = false) {
        const index = rowOfLine(rows, line)
        const [from, to] = linesOf(index)
        const share = isCentred || index < 0 ? 0 : Math.min(1, (line - from) / (to - from))
        scrollTo(Math.max(0, index), share, isCentred)
      },
      showFootnote(label) {
        const index = rows.findIndex((row) => row.kind === 'footnote' && row.label === label)
        scrollTo(index, 0, true)
      },
      topLine() {
        const top = container.current?.scrollTop ?? 0
        const item = virtualizer.getVirtualItemForOffset(top)
        const [from, to] = linesOf(item?.index ?? 0)
        return item && item.size > 0 ? from + Math.max(0, (top - item.start) / item.size) * (to - from) : from
      },
    }
  })

  const items = virtualizer.getVirtualItems()
  return (
    <div
      ref={container}
      role="document"
      aria-label={label}
      tabIndex={0}
      data-testid={testId}
      className={className}
      onScroll={onScroll}
    >
      <div style={{ height: items[0]?.start ?? paddingTop, overflowAnchor: 'none' }} />
      {items.map(({ index, key }) => {
        const row = rows[index]
        return row === undefined ? null : (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            dir="auto"
            className={`reading-row ${row.continues ? 'reading-joined' : ''} ${rows[index - 1]?.continues ? 'reading-continued' : ''}`}
          >
            <div className={index >= firstMarked && index <= lastMarked ? 'reading-marked' : undefined}>
              <RowView row={row} />
            </div>
          </div>
        )
      })}
      <div style={{ height: virtualizer.getTotalSize() - (items.at(-1)?.end ?? paddingTop), overflowAnchor: 'none' }} />
    </div>
  )
}

const answerComponents = {
  a: Anchor,
  // A remote image would contact the server that the answer names, so only the name of the image is shown.
  img: ({ alt, src }) => <span className="text-muted">[{clipLine(alt || src || '')}]</span>,
  pre: Preformatted,
  table: Table,
  'foot-note': FootnoteMark,
} as Components

/** Rows of an answer that render at once; the others follow without blocking the window. */
const firstRows = 12

export const Markdown = memo(function Markdown({ text }: { text: string }) {
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
    return { ...emptyContext, components: answerComponents, footnotes: labels.split(' '), onFootnote }
  }, [labels])
  const remainingHeight = rows.slice(renderedRows.length).reduce((sum, row) => sum + estimateHeight(row), 0)
  return (
    <DocumentContext value={context}>
      {isLongDocument(text, 'answer') ? (
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
