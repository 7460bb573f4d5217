import { useMutation } from '@tanstack/react-query'
import { t } from 'i18next'
import { createContext } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '#lib/api/client.ts'
import { paths, type FileLine } from '#lib/router/paths.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'

/** The last query of a turn, for the actions on the citations of its answers. */
export const QueryContext = createContext<string | undefined>(undefined)

interface ResultActionsProps {
  readonly agent: string
  readonly place: FileLine
  /** The query that found the line. If undefined, the search page asks the user for it. */
  readonly query: string | undefined
}

export function ResultActions({ agent, place, query }: ResultActionsProps) {
  const [, navigate] = useLocation()
  const flag = useMutation(api.upkeep.flag.mutationOptions({ onSuccess: ({ id }) => navigate(paths.inbox(id)) }))
  // Only notes of this memory can be flagged: not transcripts, nor files of other agents or outside folders.
  const isNote = sessionOfPath(place.path) === undefined && !/^[@/]|^[A-Za-z]:/.test(place.path)
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px]" data-testid="result-actions">
      <Link href={paths.source(place.path, place.line)} className={actionClassName}>
        {t('result.open')}
      </Link>
      {isNote &&
        (['wrong', 'outdated'] as const).map((fault) => (
          <button
            key={fault}
            type="button"
            className={actionClassName}
            title={t(`result.${fault}Hint`)}
            disabled={flag.isPending}
            onClick={() => flag.mutate({ agent, ...place, fault, query: query || undefined })}
          >
            {t(`result.${fault}`)}
          </button>
        ))}
      <Link href={paths.found(query, place)} className={actionClassName}>
        {t('result.why')}
      </Link>
    </p>
  )
}

const actionClassName = 'inline-flex min-h-6 items-center text-muted hover:text-text hover:underline'
