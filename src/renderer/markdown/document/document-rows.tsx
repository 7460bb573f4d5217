import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useImperativeHandle, useLayoutEffect, useRef, type Ref } from 'react'
import { estimatedHeight, type DocumentState } from '../parse/document-rows.ts'
import { RowView } from './row-view.tsx'

const overscan = 4
const paddingTop = 20
/** Number of frames in which a jump corrects its position, while the rows above the target are measured. */
const maxCorrections = 8

export interface RowsHandle {
  /**
   * Scrolls a row to the top.
   * @param share part of the row that is above the viewport, 0 to 1
   * @param isCentred scrolls it to the upper third instead
   */
  scrollTo(index: number, share?: number, isCentred?: boolean): void
  /** Returns the top row and the share of it that is above the viewport, 0 to 1. */
  position(): { readonly index: number; readonly share: number }
}

interface DocumentRowsProps {
  readonly ref?: Ref<RowsHandle>
  readonly document: DocumentState
  readonly label: string
  readonly className: string
  readonly testId: string
  /** 0-based indexes of the marked rows, inclusive. */
  readonly marked?: readonly [first: number, last: number]
  readonly onScroll?: () => void
}

/** A virtualized document, which scrolls in its own frame. */
export function DocumentRows({ ref, document, label, className, testId, marked, onScroll }: DocumentRowsProps) {
  const { rows, continues } = document
  const [firstMarked, lastMarked] = marked ?? [-1, -1]
  const container = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => container.current,
    initialRect: { width: 700, height: 900 },
    estimateSize: (index) => (rows[index] ? estimatedHeight(rows[index], container.current?.clientWidth ?? 700) : 0),
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
  const scrollTo = useCallback(
    (index: number, share = 0, isCentred = false) => {
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
    },
    [virtualizer],
  )
  useImperativeHandle(
    ref,
    () => ({
      scrollTo,
      position() {
        const top = container.current?.scrollTop ?? 0
        const item = virtualizer.getVirtualItemForOffset(top)
        if (!item) return { index: 0, share: 0 }
        return { index: item.index, share: item.size > 0 ? Math.max(0, (top - item.start) / item.size) : 0 }
      },
    }),
    [virtualizer, scrollTo],
  )

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
            className={`reading-row ${continues[index] === 1 ? 'reading-joined' : ''} ${continues[index - 1] === 1 ? 'reading-continued' : ''}`}
          >
            <div className={index >= firstMarked && index <= lastMarked ? 'reading-marked' : undefined}>
              <RowView documentRow={row} />
            </div>
          </div>
        )
      })}
      <div style={{ height: virtualizer.getTotalSize() - (items.at(-1)?.end ?? paddingTop), overflowAnchor: 'none' }} />
    </div>
  )
}
