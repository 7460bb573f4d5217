import { t } from 'i18next'
import type { RecordedSearch } from '#shared/contract/index.ts'
import { formatNoteDay } from '#lib/i18n/format.ts'
import { PlaceLink } from '../markdown/citations/place-link.tsx'
import { ResultActions } from '../markdown/citations/result-actions.tsx'
import { SupersededMark, MemoryText } from './unit-text.tsx'

interface ResultProps {
  readonly agent: string
  readonly result: RecordedSearch['results'][number]
  readonly query: string
  /** True if the answer cites it. */
  readonly isUsed?: boolean
}

const noWords: readonly string[] = []

export function Result({ agent, result, query, isUsed = false }: ResultProps) {
  const { path, startLine, endLine, date, snippet, superseded } = result
  return (
    <div data-testid="result">
      <SupersededMark superseded={superseded} />
      <MemoryText path={path} text={snippet} className="line-clamp-6 text-text" />
      <p className="flex min-w-0 items-baseline gap-3 text-[12px] text-muted">
        {date !== undefined && <span className="shrink-0">{formatNoteDay(date)}</span>}
        <span className="min-w-0 truncate">
          <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} words={noWords} />
        </span>
        {isUsed && <span className="shrink-0 text-added">{t('recalls.cited')}</span>}
      </p>
      <ResultActions agent={agent} place={{ path, line: startLine }} query={query} />
    </div>
  )
}
