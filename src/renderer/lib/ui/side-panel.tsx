import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'

interface SidePanelProps {
  readonly title: string
  /** Label of the close button. */
  readonly closing: string
  readonly onClose: () => void
  readonly children: ReactNode
}

export function SidePanel({ title, closing, onClose, children }: SidePanelProps) {
  return (
    <aside
      aria-label={title}
      className="flex w-[340px] shrink-0 flex-col border-l border-line bg-side max-[899px]:fixed max-[899px]:inset-y-0 max-[899px]:right-0 max-[899px]:z-30 max-[899px]:w-[min(340px,100vw)] max-[899px]:shadow-float"
    >
      <header className="flex h-[43px] shrink-0 items-center border-b border-line pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{title}</h2>
        <IconButton label={closing} onClick={onClose}>
          <X size={14} />
        </IconButton>
      </header>
      <div className="relative min-h-0 flex-1 overflow-y-auto">{children}</div>
    </aside>
  )
}
