import { useEffect, useState, type ReactNode } from 'react'

export function EmptyState({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-[15px] font-medium">{title}</p>
      {hint && <p className="text-muted">{hint}</p>}
      {children && <div className="mt-3 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  )
}

/** Placeholder lines. Hidden for the first 150 ms, so that fast responses do not flicker. */
export function Skeleton({ lines = 5 }: { lines?: number }) {
  const [isVisible, setIsVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), 150)
    return () => clearTimeout(timer)
  }, [])
  if (!isVisible) return null
  return (
    <div aria-hidden className="flex animate-pulse flex-col gap-3 p-5">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-3 rounded bg-soft" style={{ width: `${90 - ((line * 23) % 45)}%` }} />
      ))}
    </div>
  )
}
