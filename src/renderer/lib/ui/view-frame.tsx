import { createContext, use, useState, type ReactNode, type ComponentProps } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { paths, useEncodedPath } from '../router/paths.ts'
import { formatBoundKeys } from '../util/shortcuts.ts'
import { ChevronRight } from 'lucide-react'

/** Element that the frame adds at the start of each view's header: the button that opens the hidden sidebar. */
export const HeaderStart = createContext<ReactNode>(null)

export function ViewHeader({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex min-h-[43px] shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-5 py-1 max-sm:px-3">
      {use(HeaderStart)}
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-3">
        <h1 className="min-w-0 truncate text-[14px] font-semibold">{title}</h1>
        {aside !== undefined && <span className="min-w-0 flex-1 basis-0 truncate text-muted">{aside}</span>}
      </div>
      {children}
    </header>
  )
}

/** The header of the Inspect pages. @param session the chat whose requests *Sent* shows */
export function InspectTabs({ session, children }: { session?: string | undefined; children?: ReactNode }) {
  const currentPath = useEncodedPath()
  const tabs = [
    { href: paths.sent(session), start: paths.sent(), name: t('inspect.sent') },
    { href: paths.found(), start: paths.found(), name: t('inspect.found') },
    { href: paths.checks(), start: paths.checks(), name: t('inspect.tested') },
  ]
  const isCurrent = (start: string) =>
    currentPath.startsWith(start) || (start === paths.found() && currentPath === paths.recalls())
  return (
    <header className="flex min-h-[43px] shrink-0 flex-wrap items-center gap-3 border-b border-line px-5 py-1 max-sm:px-3">
      {use(HeaderStart)}
      <nav aria-label={t('inspect.title')} className="flex grow gap-4 whitespace-nowrap">
        {tabs.map(({ href, start, name }) => (
          <Link
            key={start}
            href={href}
            aria-current={isCurrent(start) ? 'page' : undefined}
            className="border-b-2 border-transparent py-1.5 text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text"
          >
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </header>
  )
}

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
