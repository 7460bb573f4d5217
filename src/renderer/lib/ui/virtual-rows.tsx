/**
 * A list of any length inside whatever scrolls, of which only the rows in sight are drawn. It stays a list to who cannot
 * see it: each row says its place among all of them. Arrows, Home and End go from row to row; the row that has the focus
 * stays drawn, wherever one scrolls.
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
import { scrollerOf } from './lazy-render.tsx'

/** Rows drawn above and below what can be seen, where nobody says otherwise. */
const usualOverscan = 8

interface VirtualRowsProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Until a row was drawn once, px. */
  readonly heightOf: (row: Row) => number
  /** How deep it lies in others, from 1 on. */
  readonly levelOf?: (row: Row) => number
  /** Rows drawn above and below what can be seen: few where rows are large. */
  readonly overscan?: number
  /** The key of a row to bring into sight, whenever it is another: what comes and goes about it leaves the list where it is. */
  readonly reveal?: string | undefined
  /** For a key pressed on a row; true when it was one. */
  readonly onKey?: (key: string, row: Row, index: number) => number | boolean | undefined
  readonly children: (row: Row, index: number) => ReactNode
}

export function VirtualRows<Row>(props: VirtualRowsProps<Row>) {
  const { label, rows, keyOf, heightOf, levelOf, overscan = usualOverscan, reveal, onKey, children } = props
  const list = useRef<HTMLDivElement>(null)
  const [scroller, setScroller] = useState<Element | null>(null)
  const [margin, setMargin] = useState(0)
  const focused = useRef<number>(undefined)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => {
      const row = rows[index]
      return row === undefined ? 0 : heightOf(row)
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
    setScroller(list.current ? scrollerOf(list.current) : null)
  }, [])
  useEffect(() => {
    const frame = list.current
    if (!frame || !scroller) return undefined
    // What stands above the list in the same scroll may come, go and grow; its height is then another's.
    const observer = new ResizeObserver(() => {
      setMargin(frame.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop)
    })
    observer.observe(scroller)
    for (let at = frame.parentElement; at && at !== scroller; at = at.parentElement) observer.observe(at)
    return () => observer.disconnect()
  }, [scroller])
  const revealed = useRef<string>(undefined)
  useEffect(() => {
    if (reveal === revealed.current || !scroller || rows.length === 0) return
    revealed.current = reveal
    const index = rows.findIndex((row) => keyOf(row) === reveal)
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [reveal, rows, keyOf, scroller, virtualizer])
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

/** A row that was out of sight is drawn with one of the next frames. */
function focusSoon(list: HTMLElement | null, index: number, tries = 10): void {
  const row = list?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusSoon(list, index, tries - 1))
}
