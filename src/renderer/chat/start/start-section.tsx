/** One part of the start page: a title, and a few rows. */
import type { ReactNode } from 'react'

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="pb-1.5 text-[11px] font-medium tracking-wide text-muted uppercase">{title}</h3>
      {children}
    </section>
  )
}

export const rowLook = 'flex min-h-7 min-w-0 items-baseline gap-2 rounded-sm px-1.5 py-0.5 -mx-1.5 hover:bg-soft'
