/** The line at the top of a view: its title, what stands beside it, and its tools. */
import type { ReactNode } from 'react'

export function ViewHeader({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex h-[43px] shrink-0 items-center gap-3 border-b border-line px-5">
      <h1 className="min-w-0 truncate text-[14px] font-semibold">{title}</h1>
      {aside !== undefined && <span className="min-w-0 shrink truncate text-muted">{aside}</span>}
      <span className="flex-1" />
      {children}
    </header>
  )
}
