import { useEffect, useRef, useState, type ReactNode } from 'react'

/** Content is rendered this far above and below the viewport, px. */
const renderMargin = 1200

interface LazyRenderProps {
  /** Placeholder height until the content was rendered once, px. After that the measured height is used. */
  readonly height: number
  readonly className: string
  readonly children: ReactNode
}

/** Renders its children only while they are near the viewport, and a placeholder of the same height otherwise. */
export function LazyRender({ height, className, children }: LazyRenderProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(false)
  const [measuredHeight, setMeasuredHeight] = useState<number>()
  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return
        // Measured when it leaves the viewport, for the placeholder.
        if (!entry.isIntersecting && element.childElementCount > 0) setMeasuredHeight(entry.boundingClientRect.height)
        setIsNear(entry.isIntersecting)
      },
      { root: scrollParentOf(element), rootMargin: `${renderMargin}px 0px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={frame} className={className} style={isNear ? undefined : { height: measuredHeight ?? height }}>
      {isNear && children}
    </div>
  )
}

/** Returns the closest scrolling ancestor, or null. */
export function scrollParentOf(element: Element): Element | null {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    const { overflowY } = getComputedStyle(parent)
    if (overflowY === 'auto' || overflowY === 'scroll') return parent
  }
  return null
}

/** Returns the number of items to render: 1 at first, then one more each frame, up to `count`. */
export function useIncrementalRender(count: number): number {
  const [renderedCount, setRenderedCount] = useState(1)
  useEffect(() => {
    if (renderedCount >= count) return undefined
    let timer = 0
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => setRenderedCount(renderedCount + 1))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [renderedCount, count])
  return renderedCount
}
