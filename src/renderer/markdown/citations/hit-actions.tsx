import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { api } from '#lib/api/client.ts'
import { paths, sessionOfPath, type FileLine } from '#lib/router/paths.ts'

interface HitActionsProps {
  readonly agent: string
  readonly place: FileLine
  /** The query that found the line. Without one, the search page asks for it. */
  readonly query: string | undefined
}

export function HitActions({ agent, place, query }: HitActionsProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const flag = useMutation(api.upkeep.flag.mutationOptions({ onSuccess: ({ id }) => navigate(paths.inbox(id)) }))
  const say = (fault: 'wrong' | 'outdated') => () =>
    flag.mutate({ agent, ...place, fault, ...(query === undefined || query === '' ? {} : { query }) })
  // Only notes of this memory can be edited or flagged: not transcripts, and not files of other agents or
  // folders.
  const isNote = sessionOfPath(place.path) === undefined && !/^[@/]|^[A-Za-z]:/.test(place.path)
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px]" data-testid="hit-actions">
      <Link href={paths.source(place.path, place.line)} className={look}>
        {t('hit.open')}
      </Link>
      {isNote &&
        (['wrong', 'outdated'] as const).map((fault) => (
          <button
            key={fault}
            type="button"
            className={look}
            title={t(`hit.${fault}Hint`)}
            disabled={flag.isPending}
            onClick={say(fault)}
          >
            {t(`hit.${fault}`)}
          </button>
        ))}
      <Link href={paths.search(query, place)} className={look}>
        {t('hit.why')}
      </Link>
    </p>
  )
}

const look = 'inline-flex min-h-6 items-center text-muted hover:text-text hover:underline'
