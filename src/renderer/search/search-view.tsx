import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import type { Agent, Candidate, Explanation } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { formatNumber, formatScore } from '../i18n/format.ts'
import { excerptOf } from '../ui/excerpt.ts'
import { Highlight } from '../ui/highlight.tsx'
import { paths } from '../ui/navigate.ts'
import { ScoreBar } from '../ui/score-bar.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'

/** The answer follows the typing at this distance. */
const typingPauseMs = 150

export function SearchView({ agent, initialQuery }: { agent: Agent; initialQuery: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [text, setText] = useState(initialQuery)
  const query = useDebounced(text.trim(), typingPauseMs)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => navigate(paths.search(query), { replace: true }), [query, navigate])
  const explanation = useQuery({
    ...api.search.explain.queryOptions({ input: { agent: agent.id, query } }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  const found = query === '' ? undefined : explanation.data
  return (
    <section aria-label={t('search.title')} className="flex min-w-0 flex-1 flex-col">
      <div className="px-5 pt-4 pb-3">
        <label className="flex items-center gap-3 rounded-lg border border-line bg-raised px-4 py-2.5 focus-within:border-accent">
          <Search size={15} aria-hidden className="text-muted" />
          <input
            ref={field}
            value={text}
            onChange={(event) => setText(event.target.value)}
            aria-label={t('search.title')}
            placeholder={t('search.placeholder')}
            className="min-w-0 flex-1 bg-transparent text-[14px] outline-none placeholder:text-muted"
          />
          {found && (
            <span className="tabular text-[12px] text-muted">
              {t('search.candidates', {
                count: found.candidates.length,
                ms: formatNumber(Math.max(1, Math.round(found.timings.totalMs))),
              })}
            </span>
          )}
        </label>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {explanation.error ? (
          <ErrorState error={explanation.error} onRetry={() => void explanation.refetch()} />
        ) : query === '' ? (
          <EmptyState title={t('search.empty')} hint={t('search.emptyHint')} />
        ) : found ? (
          <Results explanation={found} />
        ) : (
          <Skeleton lines={9} />
        )}
      </div>
    </section>
  )
}

function Results({ explanation }: { explanation: Explanation }) {
  const { t } = useTranslation()
  const matching = explanation.candidates.filter(({ score }) => score > 0)
  const returned = matching.filter(({ verdict }) => verdict.kind === 'returned')
  const rest = matching.filter(({ verdict }) => verdict.kind !== 'returned')
  if (matching.length === 0)
    return <EmptyState title={t('search.nothing', { query: explanation.query })} hint={t('search.nothingHint')} />
  const vectorsAreOff = matching.every(({ vector }) => vector === null)
  return (
    <div className="pb-8">
      {explanation.stale && <p className="px-5 pb-2 text-warning">{t('search.stale')}</p>}
      {explanation.notice && <p className="px-5 pb-2 text-warning">{explanation.notice.message}</p>}
      <table className="w-full table-fixed border-collapse text-left">
        <colgroup>
          <col />
          <col className="w-[19%]" />
          <col className="w-[64px]" />
          <col className="w-[92px]" />
          <col className="w-[92px]" />
          <col className="w-[17%]" />
        </colgroup>
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            <th className="py-2 pl-5 font-medium">{t('search.memory')}</th>
            <th className="font-medium">{t('search.score')}</th>
            <th className="text-right font-medium">{t('search.final')}</th>
            <th className="text-right font-medium">{t('search.vector')}</th>
            <th className="text-right font-medium">{t('search.keyword')}</th>
            <th className="pr-5 pl-4 font-medium">{t('search.terms')}</th>
          </tr>
        </thead>
        <tbody>
          {returned.map((candidate) => (
            <Row key={keyOf(candidate)} candidate={candidate} minScore={explanation.minScore} />
          ))}
          {rest.length > 0 && (
            <tr>
              <td colSpan={6} className="px-5 pt-4 pb-1 text-[12px] text-muted">
                <span className="flex items-center gap-3">
                  {t('search.below', { minScore: formatScore(explanation.minScore) })}
                  <span aria-hidden className="flex-1 border-t border-dashed border-line" />
                </span>
              </td>
            </tr>
          )}
          {rest.slice(0, 50).map((candidate) => (
            <Row
              key={keyOf(candidate)}
              candidate={candidate}
              minScore={explanation.minScore}
              maxResults={explanation.maxResults}
            />
          ))}
        </tbody>
      </table>
      <p className="flex flex-wrap gap-x-6 gap-y-1 px-5 pt-4 text-[12px] text-muted">
        {vectorsAreOff ? (
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
}

function Row({ candidate, minScore, maxResults }: { candidate: Candidate; minScore: number; maxResults?: number }) {
  const { t } = useTranslation()
  const { path, startLine, endLine, heading, snippet, matched, vector, text, score, verdict } = candidate
  const isReturned = verdict.kind === 'returned'
  const place = `${path}:${startLine}–${endLine}`
  return (
    <tr
      className={`border-b border-soft align-top ${isReturned ? '' : 'text-muted'}`}
      data-testid="candidate"
      data-verdict={verdict.kind}
    >
      <td className="py-2.5 pr-4 pl-5">
        <div className="flex min-w-0 items-baseline gap-2">
          <Link href={paths.source(path, startLine)} className="shrink-0 font-mono text-[12px] hover:underline">
            {place}
          </Link>
          <span className="truncate text-[12px] text-muted">{heading}</span>
        </div>
        <p className="line-clamp-2">
          <Highlight text={excerptOf(snippet, matched)} words={matched} />
        </p>
      </td>
      <td className="pt-4">
        <ScoreBar
          score={score}
          vector={vector?.contribution ?? 0}
          text={text?.contribution ?? 0}
          minScore={minScore}
          dim={!isReturned}
        />
      </td>
      <td className={`tabular pt-2.5 text-right ${isReturned ? 'font-semibold' : ''}`}>{formatScore(score)}</td>
      <td className="tabular pt-2.5 text-right">
        {vector ? (
          <LegFigure score={vector.score} rank={vector.rank} />
        ) : (
          <span className="text-muted">{t('search.off')}</span>
        )}
      </td>
      <td className="tabular pt-2.5 text-right">
        {text ? (
          <LegFigure score={text.score} rank={text.rank} />
        ) : (
          <span className="text-muted">{t('search.off')}</span>
        )}
      </td>
      <td className="pt-2.5 pr-5 pl-4 text-[12px]">
        {verdict.kind === 'beyondMaxResults' && <span>{t('search.beyond', { maxResults })} · </span>}
        {verdict.kind === 'folded' && <span>{t('search.folded', { rank: verdict.into })} · </span>}
        {text && text.terms.length > 0
          ? text.terms
              .slice(0, 4)
              .map(({ term, share }) => `${term} ${share.toFixed(2).replace(/^0/, '')}`)
              .join(' · ')
          : t('search.none')}
      </td>
    </tr>
  )
}

function LegFigure({ score, rank }: { score: number; rank: number }) {
  return (
    <>
      {formatScore(score)} <span className="text-[11px] text-muted">#{rank}</span>
    </>
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

function keyOf({ source, path, startLine, endLine, snippet }: Candidate): string {
  return `${source}/${path}/${startLine}-${endLine}/${snippet.length}`
}

function useDebounced<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
