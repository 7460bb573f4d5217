import { ChevronRight } from 'lucide-react'
import { useState, type ComponentProps, type ReactNode } from 'react'

interface SidebarSectionProps {
  readonly title: string
  readonly aside?: ReactNode
  /** Key under which the folded state is stored; without it, the section cannot be folded. */
  readonly foldKey?: string
  /** True if the section is folded until the user opens it. */
  readonly startsFolded?: boolean
  readonly drop?: Pick<ComponentProps<'section'>, 'onDragOver' | 'onDrop'>
  readonly children: ReactNode
}

export function SidebarSection({ title, aside, foldKey, startsFolded = false, drop, children }: SidebarSectionProps) {
  const storageKey = `commonplace.folded.${foldKey}`
  const [stored, setStored] = useState(() => localStorage.getItem(storageKey))
  const isFolded = foldKey !== undefined && (stored === null ? startsFolded : stored === 'yes')
  const toggle = () => {
    const next = isFolded ? 'no' : 'yes'
    localStorage.setItem(storageKey, next)
    setStored(next)
  }
  return (
    <section aria-label={title} {...drop} className="px-2.5 pb-2">
      <h2 className="flex min-h-7 items-center gap-1 pt-1 text-[11px] font-medium tracking-wide text-muted uppercase">
        {foldKey === undefined ? (
          <span className="min-w-0 flex-1 truncate px-2">{title}</span>
        ) : (
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={toggle}
            className="flex min-h-6 min-w-0 flex-1 items-center gap-1 rounded-sm px-1 text-left uppercase hover:text-text"
          >
            <ChevronRight
              size={11}
              aria-hidden
              className={`shrink-0 transition-transform ${isFolded ? '' : 'rotate-90'}`}
            />
            <span className="truncate">{title}</span>
          </button>
        )}
        {aside}
      </h2>
      {!isFolded && children}
    </section>
  )
}
