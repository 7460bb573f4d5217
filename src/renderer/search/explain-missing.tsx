import { t } from 'i18next'
import { Link } from 'wouter'
import type { Explanation, SearchSettings } from '#shared/contract/index.ts'
import { formatNumber, formatScore } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { parsePlace, paths } from '#lib/router/paths.ts'
import { NotIndexedNote } from '../editor/privacy/not-indexed.tsx'
import { AddCheck } from './add-check.tsx'
import { FileLinesField } from '../editor/find/file-lines-field.tsx'

interface ExplainMissingProps {
  readonly agent: string
  /** Text of the field: `path:line`. */
  readonly place: string
  readonly onPlace: (place: string) => void
  readonly hasQuery: boolean
  readonly explanation: Explanation | undefined
  readonly onTry: (change: Partial<SearchSettings>) => void
}

export function ExplainMissing({ agent, place, onPlace, hasQuery, explanation, onTry }: ExplainMissingProps) {
  return (
    <section
      aria-label={t('why.title')}
      className="mx-5 mb-3 flex flex-col gap-2 rounded-lg border border-line bg-side px-4 py-3"
    >
      <label className="flex items-center gap-3">
        <span className="shrink-0 text-muted">{t('why.line')}</span>
        <FileLinesField
          agent={agent}
          value={place}
          sample="memory/2026-01-20.md:12"
          className="flex-1"
          isFirst
          onChange={onPlace}
        />
      </label>
      <div role="status">
        {parsePlace(place) === undefined || !hasQuery ? (
          <p className="text-muted">{t('why.hint')}</p>
        ) : (
          explanation?.why && <Answer agent={agent} why={explanation.why} explanation={explanation} onTry={onTry} />
        )}
      </div>
    </section>
  )
}

/** Highest limits that the settings accept. */
const highestLimits = { results: 100, characters: 100_000 }

interface AnswerProps {
  readonly agent: string
  readonly why: NonNullable<Explanation['why']>
  readonly explanation: Explanation
  readonly onTry: (change: Partial<SearchSettings>) => void
}

function Answer({ agent, why, explanation, onTry }: AnswerProps) {
  const { candidate, rank, reason, path, line } = why
  const { weights, minScore, maxResults, maxCharacters, terms } = explanation
  const matchedTerms = new Set(candidate?.text?.terms.map(({ term }) => term))
  const missing = terms.map(({ term }) => term).filter((term) => !matchedTerms.has(term))
  // Rounded down, so that a threshold with two digits lets the line pass.
  const passingScore = Math.floor((candidate?.score ?? 0) * 100) / 100
  const verdict = candidate?.verdict
  const failedFilters = verdict?.kind === 'outsideFilter' ? verdict.by.join(' ') : ''
  const result = verdict?.kind === 'joined' || verdict?.kind === 'duplicate' ? verdict.rank : 0
  const text = reason === 'weak' && weights ? 'belowThreshold' : reason
  return (
    <div className="flex flex-col gap-2" data-testid="why" data-reason={reason}>
      <div>
        {candidate && (
          <strong className="tabular pr-2 font-semibold">
            {formatScore(candidate.score, minScore)}
            {rank !== null && ` · #${rank}`}
          </strong>
        )}
        {why.unsearched ? (
          <NotIndexedNote agent={agent} unsearched={why.unsearched} />
        ) : (
          t(`why.${text}`, {
            minScore: formatScore(minScore),
            maxResults: formatNumber(maxResults),
            maxCharacters: formatNumber(maxCharacters),
            rank: result,
            place: `${path}:${line}`,
            by: failedFilters,
          })
        )}{' '}
        {candidate && missing.length > 0 && reason !== 'returned' && (
          <span className="text-muted">{t('why.missing', { terms: missing.join(' · ') })}</span>
        )}
      </div>
      <p className="flex flex-wrap gap-2">
        {text === 'belowThreshold' && passingScore > 0 && (
          <Button onClick={() => onTry({ minScore: passingScore })}>
            {t('why.lower', { minScore: formatScore(passingScore) })}
          </Button>
        )}
        {reason === 'overLimit' && (
          <Button
            onClick={() =>
              onTry({
                maxResults: Math.min(maxResults * 2, highestLimits.results),
                maxCharacters: Math.min(maxCharacters * 2, highestLimits.characters),
              })
            }
          >
            {t('why.more')}
          </Button>
        )}
        <Link
          href={paths.source(path, line)}
          className="inline-flex min-h-7 items-center rounded-sm border border-line bg-raised px-2.5 hover:bg-soft"
        >
          {t('why.edit')}
        </Link>
        <AddCheck agent={agent} query={explanation.query} lines={{ path, startLine: line, endLine: line }} />
      </p>
    </div>
  )
}
