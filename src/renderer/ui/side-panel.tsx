/** A column beside a view, with a title, that can be closed. */
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

interface SidePanelProps {
  readonly title: string
  /** What the button that closes it says. */
  readonly closing: string
  readonly onClose: () => void
  readonly children: ReactNode
}

export function SidePanel({ title, closing, onClose, children }: SidePanelProps) {
  return (
    <aside aria-label={title} className="flex w-[340px] shrink-0 flex-col border-l border-line bg-side">
      <header className="flex h-[43px] shrink-0 items-center border-b border-line pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{title}</h2>
        <IconButton label={closing} onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </aside>
  )
}
