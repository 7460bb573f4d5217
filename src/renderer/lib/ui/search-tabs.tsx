import { use, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths, useEncodedPath } from '../router/paths.ts'
import { HeaderStart } from './view-header.tsx'

/** Scrolls the active tab into view, since a narrow window cuts the row off. */
function scrollIntoView(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ inline: 'center', block: 'nearest' })
}

export function SearchTabs({ children }: { children?: ReactNode }) {
  const { t } = useTranslation()
  const currentPath = useEncodedPath()
  const tabs = [
    { path: paths.search(), name: t('search.tab') },
    { path: paths.recalls(), name: t('recalls.title') },
    { path: paths.checks(), name: t('checks.title') },
  ]
  return (
    <header className="flex min-h-[43px] shrink-0 flex-wrap items-center gap-3 border-b border-line px-5 py-1 max-sm:px-3">
      {use(HeaderStart)}
      <nav
        aria-label={t('search.views')}
        className="flex min-w-0 flex-1 basis-40 gap-4 overflow-x-auto whitespace-nowrap"
      >
        {tabs.map(({ path, name }) => (
          <Link
            key={path}
            href={path}
            ref={currentPath === path ? scrollIntoView : undefined}
            aria-current={currentPath === path ? 'page' : undefined}
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
