import { useTranslation } from 'react-i18next'
import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { formatScore } from '#lib/i18n/format.ts'
import { PlaceLink } from '../markdown/citations/place-link.tsx'
import { Highlight } from '#lib/ui/highlight.tsx'
import { excerptOf, likeliestLine } from './excerpt.ts'
import { HitActions } from '../markdown/citations/hit-actions.tsx'
import { ScoreBar } from './score-bar.tsx'
import { useSpeakerNames } from './use-speaker-names.ts'
import { SupersededMark } from './superseded-mark.tsx'

interface HitProps {
  readonly agent: string
  readonly result: SearchResult
  readonly recall: Pick<SearchResponse, 'query' | 'weights' | 'minScore'>
  /** True if the answer cites or read it. */
  readonly isUsed?: boolean
}

export function Hit({ agent, result, recall, isUsed = false }: HitProps) {
  const { t } = useTranslation()
  const withSpeakerNames = useSpeakerNames()
  const { weights, query, minScore } = recall
  const { path, startLine, endLine, title, vectorScore, textScore, score, snippet, matched } = result
  const vectorPart =
    vectorScore === null ? 0 : (textScore === null ? 1 : weights.vector / (weights.vector + weights.text)) * vectorScore
  return (
    <div data-testid="hit">
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate">
          <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} />
          {title !== undefined && <span className="pl-2 font-medium">{title}</span>}
          {isUsed && <span className="pl-2 text-[11px] text-added">{t('recalls.cited')}</span>}
        </span>
        <strong className="tabular font-mono text-[12px] font-semibold">{formatScore(score, minScore)}</strong>
      </p>
      <SupersededMark superseded={result.superseded} />
      <p className="mb-2 line-clamp-2 text-muted">
        <Highlight text={excerptOf(withSpeakerNames(path, snippet), matched)} words={matched} />
      </p>
      <ScoreBar score={score} vector={vectorPart} text={Math.max(0, score - vectorPart)} minScore={minScore} />
      <HitActions agent={agent} place={{ path, line: likeliestLine(result) }} query={query} />
    </div>
  )
}
