import { createContext, use, type ReactNode } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { paths, useEncodedPath } from '../router/paths.ts'

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
