import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { ErrorBoundary } from './elements.tsx'

/** Height of the sticky column headers of a table, px. */
const columnHeaderHeight = 34

interface VirtualRowsProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Estimated height until the row was rendered once, px. */
  readonly estimateHeight: (row: Row) => number
  /** Nesting level, from 1. */
  readonly levelOf?: (row: Row) => number
  readonly overscan?: number
  /** Key of a row to scroll to. The list scrolls only when this key changes, not when rows around it do. */
  readonly scrollToKey?: string | undefined
  /** True for the rows of a table, below one row of column headers. */
  readonly isTable?: boolean
  /** Handles a key pressed on a row. @returns the 0-based row to focus, true if the key is handled, else undefined */
  readonly onKey?: (key: string, row: Row, index: number) => number | boolean | undefined
  readonly children: (row: Row, index: number) => ReactNode
}

/**
 * A virtualized list inside any scrolling parent. It stays accessible: each row states its position among all
 * rows, and arrow keys, Home and End move between rows. The focused row stays rendered when it scrolls out of view.
 */
export function VirtualRows<Row>(props: VirtualRowsProps<Row>) {
  const { label, rows, keyOf, estimateHeight, levelOf, children } = props
  const { overscan = 8, scrollToKey, isTable, onKey } = props
  const list = useRef<HTMLDivElement>(null)
  const [scroller, setScroller] = useState<Element | null>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  const focusedIndex = useRef<number>(undefined)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => (rows[index] === undefined ? 0 : estimateHeight(rows[index])),
    getItemKey: (index) => (rows[index] === undefined ? index : keyOf(rows[index])),
    rangeExtractor: (range) => {
      const focused = focusedIndex.current ?? range.startIndex
      const indexes = new Set([...defaultRangeExtractor(range), Math.min(focused, rows.length - 1)])
      return [...indexes].sort((a, b) => a - b)
    },
    overscan,
    scrollMargin,
    scrollPaddingStart: isTable ? columnHeaderHeight : 0,
  })
  useLayoutEffect(() => {
    setScroller(list.current ? scrollParentOf(list.current) : null)
  }, [])
  useEffect(() => {
    const element = list.current
    if (!element || !scroller) return undefined
    // Elements above the list in the same scroller can change its offset.
    const observer = new ResizeObserver(() => {
      setScrollMargin(element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop)
    })
    observer.observe(scroller)
    for (let node = element.parentElement; node && node !== scroller; node = node.parentElement) observer.observe(node)
    return () => observer.disconnect()
  }, [scroller])
  const scrolledToKey = useRef<string>(undefined)
  useEffect(() => {
    if (scrollToKey === scrolledToKey.current || !scroller || rows.length === 0) return
    scrolledToKey.current = scrollToKey
    const index = rows.findIndex((row) => keyOf(row) === scrollToKey)
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [scrollToKey, rows, keyOf, scroller, virtualizer])
  const focusRow = (index: number) => {
    focusedIndex.current = index
    virtualizer.scrollToIndex(index, { align: 'auto' })
    focusSoon(list.current, index)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const index = indexOf(event.target)
    const row = index === undefined ? undefined : rows[index]
    if (index === undefined || row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const targets: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }
    const keyResult = onKey?.(event.key, row, index)
    const target = typeof keyResult === 'number' ? keyResult : targets[event.key]
    if (target === undefined && keyResult !== true) return
    event.preventDefault()
    if (target !== undefined && target >= 0 && target < rows.length) focusRow(target)
  }
  return (
    <div
      ref={list}
      role={isTable ? 'rowgroup' : 'list'}
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={onKeyDown}
      onFocus={(event) => (focusedIndex.current = indexOf(event.target))}
      onBlur={() => (focusedIndex.current = undefined)}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index]
        return row === undefined ? null : (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            {...(isTable
              ? { role: 'row', 'aria-rowindex': index + 2 }
              : { role: 'listitem', 'aria-setsize': rows.length, 'aria-posinset': index + 1 })}
            aria-level={levelOf?.(row)}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            <ErrorBoundary piece="row" resetKey={row}>
              {children(row, index)}
            </ErrorBoundary>
          </div>
        )
      })}
    </div>
  )
}

function indexOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row?.dataset['index'] === undefined ? undefined : Number(row.dataset['index'])
}

/** Focuses a row. Retries for some frames, since a row outside the viewport is rendered with a delay. */
function focusSoon(list: HTMLElement | null, index: number, tries = 10): void {
  const row = list?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusSoon(list, index, tries - 1))
}

function scrollParentOf(element: Element): Element | null {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    const { overflowY } = getComputedStyle(parent)
    if (overflowY === 'auto' || overflowY === 'scroll') return parent
  }
  return null
}
