import { ChevronRight } from 'lucide-react'
import { useState, type ComponentProps, type ReactNode } from 'react'

interface SidebarSectionProps {
  /** Key under which the folded state is stored. */
  readonly id: 'chats' | 'files' | 'logs'
  readonly title: string
  readonly aside?: ReactNode
  /** Classes that share the height with the other open sections. */
  readonly className: string
  readonly drop?: Pick<ComponentProps<'section'>, 'onDragOver' | 'onDrop'>
  readonly children: ReactNode
}

const storageKey = (id: string) => `commonplace.folded.${id}`

export function SidebarSection({ id, title, aside, className, drop, children }: SidebarSectionProps) {
  const [isFolded, setIsFolded] = useState(() => localStorage.getItem(storageKey(id)) === 'yes')
  const toggle = () => {
    localStorage.setItem(storageKey(id), isFolded ? 'no' : 'yes')
    setIsFolded(!isFolded)
  }
  return (
    <section
      aria-label={title}
      {...drop}
      className={`flex flex-col border-t border-soft px-2.5 ${isFolded ? 'shrink-0' : className}`}
    >
      <h2 className="flex min-h-7 shrink-0 items-center gap-1 pt-1 text-[11px] font-medium text-muted">
        <button
          type="button"
          aria-expanded={!isFolded}
          onClick={toggle}
          className="flex min-h-6 min-w-0 flex-1 items-center gap-1 rounded-sm px-1 text-left tracking-wide uppercase hover:text-text"
        >
          <ChevronRight
            size={11}
            aria-hidden
            className={`shrink-0 transition-transform ${isFolded ? '' : 'rotate-90'}`}
          />
          <span className="truncate">{title}</span>
        </button>
        {aside}
      </h2>
      {!isFolded && <div className="relative min-h-0 flex-1 overflow-y-auto pb-2">{children}</div>}
    </section>
  )
}
