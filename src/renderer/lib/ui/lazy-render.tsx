import { useEffect, useRef, useState, type ReactNode } from 'react'

/** Drawn this far above and below what can be seen, px. */
const margin = 1200

interface InSightProps {
  /** Until it was drawn once, px; after that its own. */
  readonly height: number
  readonly className: string
  readonly children: ReactNode
}

/** Its content while it is in sight or near; room of the same height otherwise. */
export function InSight({ height, className, children }: InSightProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(false)
  const [known, setKnown] = useState<number>()
  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return
        // Measured when it goes: that is the room it leaves.
        if (!entry.isIntersecting && element.childElementCount > 0) setKnown(entry.boundingClientRect.height)
        setIsNear(entry.isIntersecting)
      },
      { root: scrollerOf(element), rootMargin: `${margin}px 0px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={frame} className={className} style={isNear ? undefined : { height: known ?? height }}>
      {isNear && children}
    </div>
  )
}

export function scrollerOf(element: Element): Element | null {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    const { overflowY } = getComputedStyle(parent)
    if (overflowY === 'auto' || overflowY === 'scroll') return parent
  }
  return null
}

/** How many of a number of pieces are drawn by now: the first one at once, then one more with each frame. */
export function useGradually(count: number): number {
  const [shown, setShown] = useState(1)
  useEffect(() => {
    if (shown >= count) return undefined
    let timer = 0
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => setShown(shown + 1))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [shown, count])
  return shown
}
