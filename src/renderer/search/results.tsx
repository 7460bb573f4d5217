/** Every candidate of a search: what was returned, then what was not and why. */
import { ChevronRight } from 'lucide-react'
import { Fragment, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Candidate, Explanation } from '../../shared/contract/index.ts'
import { roundTogether } from '../../shared/figures.ts'
import { formatMoment, formatScore } from '../i18n/format.ts'
import { excerptOf } from './excerpt.ts'
import { Highlight } from '../ui/highlight.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { paths } from '../navigate.ts'
import { ScoreBar } from './score-bar.tsx'
import { EmptyState } from '../ui/states.tsx'
import { AddCheck } from './add-check.tsx'
import { keyOf, type Move, type Moves } from './moves.ts'

/** Columns that the account of a row has as well: without room for them they are left to it. */
const roomy = '@max-[700px]:hidden'

interface ResultsProps {
  readonly agent: string
  readonly explanation: Explanation
  /** How far each candidate moved against the settings in force; undefined when those are what is shown. */
  readonly moves?: Moves | undefined
}

export function Results({ agent, explanation, moves }: ResultsProps) {
  const { t } = useTranslation()
  const matching = explanation.candidates.filter(({ score }) => score > 0)
  const of = (...kinds: Candidate['verdict']['kind'][]) =>
    matching.filter(({ verdict }) => kinds.includes(verdict.kind))
  const minScore = formatScore(explanation.minScore)
  const groups = [
    { title: '', candidates: of('returned') },
    { title: t('search.leftOut'), candidates: of('beyondMaxResults', 'folded') },
    { title: t('search.below', { minScore }), candidates: of('belowMinScore') },
  ].filter(({ candidates }) => candidates.length > 0)
  if (matching.length === 0)
    return (
      <>
        {explanation.notice && <NoticeLine notice={explanation.notice} />}
        <EmptyState title={t('search.nothing', { query: explanation.query })} hint={t('search.nothingHint')} />
      </>
    )
  const vectorsAreOff = matching.every(({ vector }) => vector === null)
  return (
    <div className="@container pb-8">
      {explanation.stale && <p className="px-5 pb-2 text-warning">{t('search.stale')}</p>}
      {explanation.notice && <NoticeLine notice={explanation.notice} />}
      <table className="w-full table-fixed border-collapse text-left">
        <colgroup>
          <col />
          <col className="w-[19%]" />
          <col className="w-[64px]" />
          <col className={`w-[92px] ${roomy}`} />
          <col className={`w-[92px] ${roomy}`} />
          <col className={`w-[17%] ${roomy}`} />
        </colgroup>
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            <th className="py-2 pl-5 font-medium">{t('search.memory')}</th>
            <th className="font-medium">{t('search.score')}</th>
            <th className="pr-3 text-right font-medium">{t('search.final')}</th>
            <th className={`text-right font-medium ${roomy}`}>{t('search.vector')}</th>
            <th className={`text-right font-medium ${roomy}`}>{t('search.keyword')}</th>
            <th className={`pr-5 pl-4 font-medium ${roomy}`}>{t('search.terms')}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ title, candidates }) => (
            <Fragment key={title}>
              {title !== '' && <Divider title={title} />}
              {candidates.map((candidate) => (
                <ErrorBoundary key={keyOf(candidate)} piece="row" look="tableRow" of={candidate}>
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

function Divider({ title }: { title: string }) {
  return (
    <tr>
      <td colSpan={3} className="pt-4 pb-1 pl-5 text-[12px] text-muted">
        <span className="flex items-center gap-3">
          {title}
          <span aria-hidden className="flex-1 border-t border-dashed border-line" />
        </span>
      </td>
      <td colSpan={3} className={`pt-4 pr-5 pb-1 ${roomy}`}>
        <span aria-hidden className="block border-t border-dashed border-line" />
      </td>
    </tr>
  )
}

interface RowProps {
  readonly agent: string
  readonly candidate: Candidate
  readonly explanation: Explanation
  readonly move: Move | undefined
}

function Row({ agent, candidate, explanation, move }: RowProps) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const { path, startLine, endLine, heading, snippet, matched, vector, text, score, verdict } = candidate
  const { minScore, maxResults } = explanation
  const isReturned = verdict.kind === 'returned'
  const place = `${path}:${startLine}–${endLine}`
  // The bar is as long as the final score.
  const factor = candidate.modifiers.reduce((product, modifier) => product * modifier.factor, 1)
  return (
    <>
      <tr
        className={`align-top ${isOpen ? '' : 'border-b border-soft'} ${isReturned ? '' : 'text-muted'}`}
        data-testid="candidate"
        data-verdict={verdict.kind}
        data-place={`${path}:${startLine}-${endLine}`}
      >
        <td className="py-2.5 pr-4 pl-2">
          <div className="flex min-w-0 items-baseline gap-1">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={t('search.details', { place })}
              onClick={() => setIsOpen(!isOpen)}
              className="flex size-5 shrink-0 items-center justify-center self-center rounded-sm text-muted hover:bg-soft hover:text-text"
            >
              <ChevronRight size={12} className={isOpen ? 'rotate-90' : ''} />
            </button>
            <Link
              href={paths.source(path, startLine)}
              className="min-w-0 truncate font-mono text-[12px] hover:underline"
            >
              {place}
            </Link>
            <span className="truncate pl-1 text-[12px] text-muted">{heading}</span>
            {move !== undefined && <MoveMark move={move} />}
          </div>
          <p className="line-clamp-2 pl-6">
            <Highlight text={excerptOf(snippet, matched)} words={matched} />
          </p>
        </td>
        <td className="pt-4">
          <ScoreBar
            score={score}
            vector={(vector?.contribution ?? 0) * factor}
            text={(text?.contribution ?? 0) * factor}
            minScore={minScore}
            dim={!isReturned}
          />
        </td>
        <td className={`tabular pt-2.5 pr-3 text-right ${isReturned ? 'font-semibold' : ''}`}>
          {formatScore(score, minScore)}
        </td>
        <td className={`tabular pt-2.5 text-right ${roomy}`}>
          {vector ? <LegFigure score={vector.score} rank={vector.rank} /> : <Off />}
        </td>
        <td className={`tabular pt-2.5 text-right ${roomy}`}>
          {text ? <LegFigure score={text.score} rank={text.rank} /> : <Off />}
        </td>
        <td className={`pt-2.5 pr-5 pl-4 text-[12px] ${roomy}`}>
          {verdict.kind === 'beyondMaxResults' && <span>{t('search.beyond', { maxResults })} · </span>}
          {verdict.kind === 'folded' && <span>{t('search.folded', { rank: verdict.into })} · </span>}
          {text && text.terms.length > 0
            ? text.terms
                .slice(0, 4)
                .map((one) => `${nameOf(one)} ${one.share.toFixed(2).replace(/^0/, '')}`)
                .join(' · ')
            : t('search.none')}
        </td>
      </tr>
      {isOpen && (
        <tr className="border-b border-soft" data-testid="candidate-details">
          <td colSpan={3} className="pb-3 pl-8">
            <Account candidate={candidate} />
            <p className="pt-2">
              <AddCheck agent={agent} query={explanation.query} lines={candidate} />
            </p>
          </td>
          <td colSpan={3} className={roomy} />
        </tr>
      )}
    </>
  )
}

/** How the score came about, to the last figure. */
function Account({ candidate }: { candidate: Candidate }) {
  const { t } = useTranslation()
  const { vector, text, modifiers, score } = candidate
  const [vectorPart = 0, textPart = 0] = roundTogether([vector?.contribution ?? 0, text?.contribution ?? 0], digits)
  const shares = roundTogether(text?.terms.map(({ share }) => share) ?? [], digits)
  return (
    <dl className="tabular grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1 text-[12px]">
      {vector && (
        <>
          <dt className="text-muted">{t('search.vector')}</dt>
          <dd>
            {t('search.vectorAccount', { raw: precise(vector.raw), rank: vector.rank, score: precise(vector.score) })} →{' '}
            <output data-part="vector">{precise(vectorPart)}</output>
          </dd>
        </>
      )}
      {text && (
        <>
          <dt className="text-muted">{t('search.keyword')}</dt>
          <dd>
            {t('search.keywordAccount', {
              raw: precise(text.raw),
              rank: text.rank,
              share: precise(text.share),
              score: precise(text.score),
            })}{' '}
            → <output data-part="keyword">{precise(textPart)}</output>
            {text.terms.length > 0 && (
              <ul className="flex flex-wrap gap-x-4 text-muted">
                {text.terms.map((one, index) => (
                  <li key={one.term}>
                    {nameOf(one)} <output data-part="share">{precise(shares[index] ?? 0)}</output>
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </>
      )}
      {modifiers.map(({ name, factor }) => (
        <Fragment key={name}>
          <dt className="text-muted">{t(`search.modifier.${name}`)}</dt>
          <dd>
            × <output data-part="factor">{precise(factor)}</output>
          </dd>
        </Fragment>
      ))}
      <dt className="text-muted">{t('search.final')}</dt>
      <dd className="font-semibold">
        <output data-part="score">{precise(score)}</output>
      </dd>
    </dl>
  )
}

/** Of the account's figures. */
const digits = 4

function precise(value: number): string {
  return value.toFixed(digits)
}

/** A word of the query, and what memory has in its place where it lacks the word. */
function nameOf({ term, instead }: { term: string; instead?: string | undefined }): string {
  return instead === undefined ? term : `${term} → ${instead}`
}

/** `▲2`, `▼1`, or that it came in or dropped out; said in words to those who do not see it. */
function MoveMark({ move }: { move: Move }) {
  const { t } = useTranslation()
  if (typeof move === 'string')
    return (
      <span className={`shrink-0 pl-1 text-[11px] font-medium ${move === 'new' ? 'text-added' : 'text-bad'}`}>
        {t(`search.move.${move}`)}
      </span>
    )
  const places = Math.abs(move)
  const label = t(move > 0 ? 'search.move.up' : 'search.move.down', { count: places })
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={`tabular shrink-0 pl-1 text-[11px] font-medium ${move > 0 ? 'text-added' : 'text-bad'}`}
    >
      {move > 0 ? '▲' : '▼'}
      {places}
    </span>
  )
}

function Off() {
  const { t } = useTranslation()
  return <span className="text-muted">{t('search.off')}</span>
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

/** Why vectors took no part, in the words of whoever failed. */
function NoticeLine({ notice: { code, message, since } }: { notice: NonNullable<Explanation['notice']> }) {
  const { t } = useTranslation()
  const begun = since === undefined ? '' : t('search.notice.since', { time: formatMoment(since) })
  return (
    <p role="status" className="px-5 pb-2 break-words text-warning">
      {t(`search.notice.${code}`, { reason: message, since: begun })}
    </p>
  )
}
