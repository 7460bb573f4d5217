/**
 * Rows of any number, of which those near the reader's eyes are drawn. They stand in the page's own flow between two spaces
 * for the rest: the browser keeps what is being read in its place while rows above are drawn and measured.
 */
import {
  startTransition,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react'
import { Heights } from '../parse/row-heights.ts'
import { heightOf, type ShownRow } from '../parse/preview-rows.ts'

/** Drawn beyond what can be seen, px: as much as a flick of the wheel moves. */
const beyond = 500
/** Drawn anew when less than this is left beyond, px. */
const least = 200
/** Looks at where a row came to stand that was scrolled to: those above it may have been measured meanwhile. */
const looks = 8

export interface RowsHandle {
  /** Brings a row to the top. @param share of it that is above, 0 to 1 @param isCentred to the middle instead */
  scrollTo(index: number, share?: number, isCentred?: boolean): void
  /** The row at the top, and how much of it is above. */
  position(): { readonly index: number; readonly share: number }
}

interface VirtualRowsProps {
  readonly ref?: Ref<RowsHandle>
  readonly rows: readonly ShownRow[]
  /** 1 for those that go on in the next. */
  readonly joined: Uint8Array
  /** Another text: reading begins at its top. */
  readonly of: string
  readonly label: string
  readonly className: string
  readonly children: (row: ShownRow, index: number) => ReactNode
  readonly onScroll?: () => void
}

interface Range {
  readonly first: number
  readonly last: number
}

export function VirtualRows({ ref, rows, joined, of, label, className, children, onScroll }: VirtualRowsProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [measured, setMeasured] = useState(0)
  const [size, setSize] = useState({ width: 700, height: 900 })
  const heights = useMemo(
    () => new Heights(rows.length, (index) => (rows[index] ? heightOf(rows[index], size.width) : 0)),
    // What was measured stands in the rows.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [rows, size.width, measured],
  )
  // At first what will be seen, as far as can be told: what is beyond follows when there is time.
  const [range, setRange] = useState<Range>(() => ({ first: 0, last: heights.indexAt(size.height) }))
  const latest = useRef({ heights, rows, range, size })
  useLayoutEffect(() => {
    latest.current = { heights, rows, range, size }
  })

  /** Draws what is needed at where the reader is: what is seen at once, what is beyond when there is time. */
  const look = useCallback(() => {
    const element = frame.current
    if (!element) return
    const { heights: now, range: drawn } = latest.current
    const { clientHeight: view } = element
    const top = element.scrollTop - originOf(element)
    const within = (by: number): Range => ({
      first: now.indexAt(Math.max(0, top - by)),
      last: now.indexAt(top + view + by),
    })
    const seen = within(0)
    const wanted = within(beyond)
    const needed = within(least)
    const holds = (one: Range, other: Range) => one.first <= other.first && one.last >= other.last
    const isWasteful = drawn.last - drawn.first > 2 * (wanted.last - wanted.first) + 10
    if (holds(drawn, needed) && !isWasteful) return
    if (!holds(drawn, seen)) {
      latest.current.range = seen
      setRange(seen)
    }
    startTransition(() => setRange(wanted))
  }, [])

  useLayoutEffect(look, [look, heights, size])

  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = element
      setSize((before) =>
        before.width === clientWidth && before.height === clientHeight
          ? before
          : { width: clientWidth, height: clientHeight },
      )
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const rowObserver = useRef<ResizeObserver>(undefined)
  if (rowObserver.current === undefined && typeof ResizeObserver !== 'undefined')
    rowObserver.current = new ResizeObserver((entries) => {
      let isChanged = false
      for (const { target, borderBoxSize } of entries) {
        const row = rowOf.get(target)
        const height = borderBoxSize[0]?.blockSize ?? 0
        if (!row || height === 0 || Math.abs((row.height ?? 0) - height) < 0.5) continue
        row.height = height
        isChanged = true
      }
      if (isChanged) setMeasured((count) => count + 1)
    })
  useEffect(() => () => rowObserver.current?.disconnect(), [])

  const aim = useRef(0)
  const scrollTo = useCallback((index: number, share = 0, isCentred = false) => {
    let left = looks
    aim.current += 1
    const mine = aim.current
    const step = () => {
      const element = frame.current
      if (!element || aim.current !== mine) return
      const { heights: now } = latest.current
      const drawn = element.querySelector<HTMLElement>(`:scope > [data-row="${index}"]`)
      const height = drawn?.offsetHeight ?? now.top(index + 1) - now.top(index)
      const top = drawn?.offsetTop ?? originOf(element) + now.top(index)
      const wanted = Math.max(0, isCentred ? top - element.clientHeight / 3 : top + share * height)
      if (Math.abs(element.scrollTop - wanted) > 1) element.scrollTop = wanted
      left -= 1
      if (left > 0 && !(drawn && left < looks - 2)) requestAnimationFrame(step)
    }
    step()
  }, [])
  useImperativeHandle(
    ref,
    () => ({
      scrollTo,
      position() {
        const element = frame.current
        const { heights: now } = latest.current
        const top = element ? Math.max(0, element.scrollTop - originOf(element)) : 0
        const index = now.indexAt(top)
        const height = now.top(index + 1) - now.top(index)
        return { index, share: height > 0 ? (top - now.top(index)) / height : 0 }
      },
    }),
    [scrollTo],
  )

  const first = Math.min(range.first, Math.max(0, rows.length - 1))
  const last = Math.min(range.last, rows.length - 1)
  return (
    <div
      ref={frame}
      key={of}
      role="document"
      aria-label={label}
      tabIndex={0}
      data-testid="preview"
      className={className}
      onScroll={() => {
        look()
        onScroll?.()
      }}
    >
      <div style={{ height: heights.top(first), overflowAnchor: 'none' }} />
      {rows.slice(first, last + 1).map((row, index) => (
        <RowFrame
          key={row.id}
          row={row}
          index={first + index}
          isJoined={joined[first + index] === 1}
          isContinued={joined[first + index - 1] === 1}
          observer={rowObserver.current}
        >
          {children(row, first + index)}
        </RowFrame>
      ))}
      <div style={{ height: Math.max(0, heights.total - heights.top(last + 1)), overflowAnchor: 'none' }} />
    </div>
  )
}

/** Where the rows begin: behind the room above them. */
function originOf(element: HTMLElement): number {
  const space = element.firstElementChild
  return space instanceof HTMLElement ? space.offsetTop : 0
}

/** Which row an element shows, for whoever measures it. */
const rowOf = new WeakMap<Element, ShownRow>()

interface RowFrameProps {
  readonly row: ShownRow
  readonly index: number
  readonly isJoined: boolean
  /** The list, table or quote has begun in the row before. */
  readonly isContinued: boolean
  readonly observer: ResizeObserver | undefined
  readonly children: ReactNode
}

function RowFrame({ row, index, isJoined, isContinued, observer, children }: RowFrameProps) {
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (frame.current) rowOf.set(frame.current, row)
  }, [row])
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return undefined
    observer?.observe(element)
    return () => observer?.unobserve(element)
  }, [observer])
  return (
    <div
      ref={frame}
      data-row={index}
      dir="auto"
      className={`reading-row ${isJoined ? 'reading-joined' : ''} ${isContinued ? 'reading-continued' : ''}`}
    >
      {children}
    </div>
  )
}
