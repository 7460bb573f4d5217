import { useTranslation } from 'react-i18next'
import type { RecordedSearch } from '#shared/contract/index.ts'
import { formatScore } from '#lib/i18n/format.ts'
import { PlaceLink } from '../markdown/citations/place-link.tsx'
import { ResultActions } from '../markdown/citations/result-actions.tsx'
import { SupersededMark } from './superseded-mark.tsx'
import { UnitText } from './unit-text.tsx'

interface ResultProps {
  readonly agent: string
  readonly result: RecordedSearch['results'][number]
  readonly query: string
  /** True if the answer cites it. */
  readonly isUsed?: boolean
}

const noWords: readonly string[] = []

export function Result({ agent, result, query, isUsed = false }: ResultProps) {
  const { t } = useTranslation()
  const { path, startLine, endLine, date, score, snippet, superseded } = result
  return (
    <div data-testid="result">
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate">
          <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} words={noWords} />
          {date !== undefined && <span className="tabular pl-2 text-[12px] text-muted">{date}</span>}
          {isUsed && <span className="pl-2 text-[11px] text-added">{t('recalls.cited')}</span>}
        </span>
        <strong className="tabular text-[12px] font-semibold">{formatScore(score)}</strong>
      </p>
      <SupersededMark superseded={superseded} />
      {/* Results in old transcripts can be long. */}
      <UnitText path={path} text={snippet} className="line-clamp-6 text-muted" />
      <ResultActions agent={agent} place={{ path, line: startLine }} query={query} />
    </div>
  )
}
