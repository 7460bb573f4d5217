/**
 * A virtualized list inside any scrolling parent. It stays accessible: each row states its position among all
 * rows, and arrow keys, Home and End move between rows. The focused row stays rendered when it scrolls out of
 * view.
 */
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual'
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { scrollParentOf } from './lazy-render.tsx'

const usualOverscan = 8

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
  /** Handles a key pressed on a row. @returns the 0-based row to focus, true if the key is handled, else undefined */
  readonly onKey?: (key: string, row: Row, index: number) => number | boolean | undefined
  readonly children: (row: Row, index: number) => ReactNode
}

export function VirtualRows<Row>(props: VirtualRowsProps<Row>) {
  const { label, rows, keyOf, estimateHeight, levelOf, overscan = usualOverscan, scrollToKey, onKey, children } = props
  const list = useRef<HTMLDivElement>(null)
  const [scroller, setScroller] = useState<Element | null>(null)
  const [margin, setMargin] = useState(0)
  const focused = useRef<number>(undefined)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => {
      const row = rows[index]
      return row === undefined ? 0 : estimateHeight(row)
    },
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : keyOf(row)
    },
    rangeExtractor: (range: Range) => withFocused(defaultRangeExtractor(range), focused.current, rows.length),
    overscan,
    scrollMargin: margin,
  })
  useLayoutEffect(() => {
    setScroller(list.current ? scrollParentOf(list.current) : null)
  }, [])
  useEffect(() => {
    const frame = list.current
    if (!frame || !scroller) return undefined
    // Elements above the list in the same scroller can change its offset.
    const observer = new ResizeObserver(() => {
      setMargin(frame.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop)
    })
    observer.observe(scroller)
    for (let at = frame.parentElement; at && at !== scroller; at = at.parentElement) observer.observe(at)
    return () => observer.disconnect()
  }, [scroller])
  const revealed = useRef<string>(undefined)
  useEffect(() => {
    if (scrollToKey === revealed.current || !scroller || rows.length === 0) return
    revealed.current = scrollToKey
    const index = rows.findIndex((row) => keyOf(row) === scrollToKey)
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [scrollToKey, rows, keyOf, scroller, virtualizer])
  const focusRow = (index: number) => {
    focused.current = index
    virtualizer.scrollToIndex(index, { align: 'auto' })
    focusSoon(list.current, index)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const at = indexOf(event.target)
    const row = at === undefined ? undefined : rows[at]
    if (at === undefined || row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }
    const answer = onKey?.(event.key, row, at)
    const to = typeof answer === 'number' ? answer : steps[event.key]
    if (to === undefined && answer !== true) return
    event.preventDefault()
    if (to !== undefined && to >= 0 && to < rows.length) focusRow(to)
  }
  return (
    <div
      ref={list}
      role="list"
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={press}
      onFocus={(event: FocusEvent) => {
        focused.current = indexOf(event.target)
      }}
      onBlur={() => {
        focused.current = undefined
      }}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index]
        return row === undefined ? null : (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            role="listitem"
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            aria-level={levelOf?.(row)}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            {children(row, index)}
          </div>
        )
      })}
    </div>
  )
}

function withFocused(shown: number[], index: number | undefined, count: number): number[] {
  if (index === undefined || index >= count || shown.includes(index)) return shown
  return [...shown, index].sort((one, other) => one - other)
}

function indexOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row?.dataset['index'] === undefined ? undefined : Number(row.dataset['index'])
}

/** Retries for some frames: a row outside the viewport is rendered with a delay. */
function focusSoon(list: HTMLElement | null, index: number, tries = 10): void {
  const row = list?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusSoon(list, index, tries - 1))
}
