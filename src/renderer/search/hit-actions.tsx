/** What can be done about a place in memory that was shown: go there, say that it is wrong or out of date, ask why. */
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths, sessionOfPath, type Place } from '../navigate.ts'

interface HitActionsProps {
  readonly place: Place
  /** For which it was found; without one, the search asks for it. */
  readonly query: string | undefined
}

export function HitActions({ place, query }: HitActionsProps) {
  const { t } = useTranslation()
  // What was said cannot be rewritten; what was noted can.
  const isNote = sessionOfPath(place.path) === undefined
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px]" data-testid="hit-actions">
      <Action href={paths.source(place.path, place.line)}>{t('hit.open')}</Action>
      {isNote && <Action href={paths.correct(place, 'wrong')}>{t('hit.wrong')}</Action>}
      {isNote && <Action href={paths.correct(place, 'outdated')}>{t('hit.outdated')}</Action>}
      <Action href={paths.search(query, place)}>{t('hit.why')}</Action>
    </p>
  )
}

function Action({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="inline-flex min-h-6 items-center text-muted hover:text-text hover:underline">
      {children}
    </Link>
  )
}
