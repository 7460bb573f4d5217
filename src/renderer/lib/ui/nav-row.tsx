import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatBoundKeys } from '../util/shortcuts.ts'

interface NavRowProps {
  readonly href: string
  readonly isCurrent: boolean
  readonly icon?: ReactNode
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function NavRow({ href, isCurrent, icon, aside, children }: NavRowProps) {
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className={`flex min-h-[27px] items-center gap-2.5 rounded-sm px-2 transition-colors duration-150 ${isCurrent ? 'bg-selected' : 'hover:bg-soft'}`}
    >
      {icon && <span className="text-muted">{icon}</span>}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {aside !== undefined && <span className="text-[11px] text-muted">{aside}</span>}
    </Link>
  )
}

export function SectionTitle({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <h2 className="flex px-2 pt-4 pb-1 text-[11px] font-medium tracking-wide text-muted uppercase">
      <span className="flex-1">{children}</span>
      {aside !== undefined && <span className="tracking-normal normal-case">{aside}</span>}
    </h2>
  )
}

export function Keys({ keys }: { keys: string }) {
  return <kbd className="font-sans text-[11px] text-muted">{formatBoundKeys(keys)}</kbd>
}
