import { Fragment, memo, startTransition, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { formatMoment, formatScore } from '#lib/i18n/format.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { Button } from '#lib/ui/button.tsx'
import { EmptyState } from '#lib/ui/states.tsx'
import { keyOf, type RankChanges } from './rank-diff.ts'
import { Row, wideOnly } from './candidate-row.tsx'

/** Rows rendered while the user types: more than fit into a window. */
const rowsWhileTyping = 18
const pageSize = 60
const typingPauseMs = 250

interface ResultsProps {
  readonly agent: string
  readonly explanation: Explanation
  /** Changes of rank against the current settings; undefined while these are shown. */
  readonly moves?: RankChanges | undefined
}

export const Results = memo(function Results({ agent, explanation, moves }: ResultsProps) {
  const { t } = useTranslation()
  const [limit, setLimit] = useRowLimit(explanation.query)
  // A passage that repeats the user's own question has a score of 0; it is listed to explain why.
  const matching = explanation.candidates.filter(
    ({ score, question, verdict }) => score > 0 || question !== undefined || verdict.kind === 'outsideFilter',
  )
  const withVerdict = (...kinds: Candidate['verdict']['kind'][]) =>
    matching.filter(({ verdict }) => kinds.includes(verdict.kind))
  const minScore = formatScore(explanation.minScore)
  const allGroups = [
    { title: '', candidates: withVerdict('returned') },
    { title: t('search.leftOut'), candidates: withVerdict('beyondMaxResults', 'folded') },
    { title: t('search.below', { minScore }), candidates: withVerdict('belowMinScore') },
    { title: t('search.outsideTitle'), candidates: withVerdict('outsideFilter') },
  ]
  // Each move of a slider would render hundreds of rows again, so rows beyond `limit` render on request.
  let remaining = limit
  const groups = allGroups.flatMap(({ title, candidates }) => {
    const shown = candidates.slice(0, Math.max(0, remaining))
    remaining -= candidates.length
    return shown.length > 0 ? [{ title, candidates: shown }] : []
  })
  const staleNotice = <StaleIndexLine explanation={explanation} />
  if (matching.length === 0)
    return (
      <>
        {staleNotice}
        {explanation.notice && <NoticeLine notice={explanation.notice} />}
        <EmptyState title={t('search.nothing', { query: explanation.query })} hint={t('search.nothingHint')} />
      </>
    )
  const areVectorsOff = matching.every(({ vector }) => vector === null)
  return (
    <div className="@container pb-8">
      {staleNotice}
      {explanation.notice && <NoticeLine notice={explanation.notice} />}
      <table className="w-full table-fixed border-collapse text-left">
        <colgroup>
          <col />
          <col className="w-[19%] @max-[480px]:w-[14%]" />
          <col className="w-[64px]" />
          <col className={`w-[92px] ${wideOnly}`} />
          <col className={`w-[92px] ${wideOnly}`} />
          <col className={`w-[17%] ${wideOnly}`} />
        </colgroup>
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            <th className="py-2 pl-5 font-medium">{t('search.memory')}</th>
            <th className="font-medium">{t('search.score')}</th>
            <th className="pr-3 text-right font-medium">{t('search.final')}</th>
            <th className={`text-right font-medium ${wideOnly}`}>{t('search.vector')}</th>
            <th className={`text-right font-medium ${wideOnly}`}>{t('search.keyword')}</th>
            <th className={`pr-5 pl-4 font-medium ${wideOnly}`}>{t('search.terms')}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ title, candidates }) => (
            <Fragment key={title}>
              {title !== '' && <Divider title={title} />}
              {candidates.map((candidate) => (
                <ErrorBoundary key={keyOf(candidate)} piece="row" variant="tableRow" resetKey={candidate}>
                  <Row
                    agent={agent}
                    candidate={candidate}
                    explanation={explanation}
                    move={moves?.get(keyOf(candidate))}
                  />
                </ErrorBoundary>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      {remaining < 0 && limit >= pageSize && (
        <Button look="link" className="mx-5 mt-2" onClick={() => setLimit(limit + pageSize)}>
          {t('history.more')}
        </Button>
      )}
      <p className="flex flex-wrap gap-x-6 gap-y-1 px-5 pt-4 text-[12px] text-muted">
        {areVectorsOff ? (
          <span>{t('search.keywordOnly')}</span>
        ) : (
          <>
            <Legend color="bg-vector">{t('search.legendVector', { weight: explanation.weights.vector })}</Legend>
            <Legend color="bg-keyword">{t('search.legendKeyword', { weight: explanation.weights.text })}</Legend>
          </>
        )}
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="h-3 w-0.5 bg-text" />
          {t('search.legendThreshold')} {formatScore(explanation.minScore)}
        </span>
      </p>
    </div>
  )
})

function useRowLimit(query: string) {
  const [state, setState] = useState({ query, limit: rowsWhileTyping })
  const limit = state.query === query ? state.limit : rowsWhileTyping
  if (state.query !== query) setState({ query, limit })
  const setLimit = (newLimit: number) => setState({ query, limit: newLimit })
  useEffect(() => {
    if (limit >= pageSize) return
    const timer = setTimeout(() => startTransition(() => setState({ query, limit: pageSize })), typingPauseMs)
    return () => clearTimeout(timer)
  }, [query, limit])
  return [limit, setLimit] as const
}

function Divider({ title }: { title: string }) {
  return (
    <tr>
      <td colSpan={3} className="pt-4 pb-1 pl-5 text-[12px] text-muted">
        <span className="flex items-center gap-3">
          {title}
          <span aria-hidden className="flex-1 border-t border-dashed border-line" />
        </span>
      </td>
      <td colSpan={3} className={`pt-4 pr-5 pb-1 ${wideOnly}`}>
        <span aria-hidden className="block border-t border-dashed border-line" />
      </td>
    </tr>
  )
}

function Legend({ color, children }: { color: string; children: React.ReactNode }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2.5 rounded-[3px] ${color}`} />
      {children}
    </span>
  )
}

function StaleIndexLine({ explanation: { stale, standstill } }: { explanation: Explanation }) {
  const { t } = useTranslation()
  if (!stale) return null
  return (
    <p role="status" className="px-5 pb-2 break-words text-warning">
      {standstill === undefined ? t('search.stale') : t('search.standstill', { reason: standstill })}
    </p>
  )
}

function NoticeLine({ notice }: { notice: NonNullable<Explanation['notice']> }) {
  const { code, message, since, count, script } = notice
  const { t } = useTranslation()
  const sinceText = since === undefined ? '' : t('search.notice.since', { time: formatMoment(since) })
  return (
    <p role="status" className={`px-5 pb-2 break-words ${isFault(code) ? 'text-warning' : 'text-muted'}`}>
      {t(`search.notice.${code}`, {
        reason: message,
        since: sinceText,
        count,
        script: script && t(`meaning.script.${script}`),
      })}
    </p>
  )
}

/** Returns false for a notice that is expected, such as one about weak vectors for a language. */
function isFault(code: NonNullable<Explanation['notice']>['code']): boolean {
  return code !== 'vectors_few' && code !== 'vectors_measuring' && code !== 'vectors_weak' && code !== 'query_local'
}
