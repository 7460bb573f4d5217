import i18next, { t } from 'i18next'
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import type { Candidate, RecordedSearch } from '#shared/contract/index.ts'
import { candidateKey } from './candidates.ts'
import { MessageSquare } from 'lucide-react'
import { PlaceMark, PrivateMark } from '#lib/notes/note-marks.tsx'
import { formatNoteDay } from '#lib/i18n/format.ts'
import { usePlaceNames, PlaceLink, ResultActions } from '../markdown/citations.tsx'
import { MemoryText, ResultMarks } from './unit-text.tsx'
import { skipToken, useQuery } from '@tanstack/react-query'
import { withoutPrivateMarks } from '#shared/markdown/visibility.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { TextLink } from '#lib/ui/elements.tsx'
import { Highlight } from '#lib/ui/long-text.tsx'
import { paths } from '#lib/router/paths.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import { ScoreBreakdown } from './score-breakdown.tsx'

interface ResultGroupProps {
  readonly name: 'notes' | 'chats' | 'weak'
  readonly candidates: readonly Candidate[]
  readonly onOpen: (candidate: Candidate) => void
  /** Opens the explanation; without it, rows have no *Why?*. */
  readonly onWhy?: ((candidate: Candidate) => void) | undefined
  readonly children?: readonly ReactNode[]
}

export function ResultGroup({ name, candidates, onOpen, onWhy, children }: ResultGroupProps) {
  if (candidates.length + (children?.length ?? 0) === 0) return null
  return (
    <Command.Group heading={t(`search.group.${name}`)} className={groupLook}>
      {children}
      {candidates.map((candidate) => (
        <Command.Item
          key={candidateKey(candidate)}
          value={candidateKey(candidate)}
          onSelect={() => onOpen(candidate)}
          className={`group/result flex items-end gap-3 rounded-sm px-2.5 py-1.5 data-[selected=true]:bg-selected ${name === 'weak' ? 'text-muted' : ''}`}
        >
          <ResultRow candidate={candidate} />
          {onWhy && (
            // A control inside an option is not allowed; the Tab key opens the same explanation.
            <span
              className="shrink-0 text-[12px] text-accent opacity-0 group-hover/result:opacity-100 group-data-[selected=true]/result:opacity-100"
              onClick={(event) => {
                event.stopPropagation()
                onWhy(candidate)
              }}
            >
              {t('search.whyThis')}
            </span>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

export const groupLook =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:text-muted'

export function ResultRow({ candidate }: { candidate: Candidate }) {
  const { path, snippet, matched, date, superseded, missing, newer, isPrivate } = candidate
  const isChat = sessionOfPath(path) !== undefined
  const title = usePlaceNames().chatTitle(path)
  return (
    <span className="min-w-0 flex-1" data-testid="result" data-place={`${path}:${candidate.startLine}`}>
      <MemoryText path={path} text={snippet} words={matched} className="line-clamp-2" />
      <span className="flex min-w-0 items-baseline gap-3 text-[12px] text-muted">
        {date !== undefined && <span className="shrink-0">{formatNoteDay(date)}</span>}
        <span className="min-w-0 truncate">
          {isPrivate ? <PrivateMark label={t('private.line')} className="mr-1" /> : isChat && <PlaceMark path={path} />}
          {title !== undefined && <MessageSquare size={11} aria-label={t('search.chat')} className="mr-1 inline" />}
          {title ?? path}
        </span>
        {superseded && <span className="shrink-0 text-warning">{t('result.superseded', superseded)}</span>}
        {newer && (
          <span className="shrink-0 text-warning">{t(newer.isSure ? 'result.replaced' : 'result.hasNewer')}</span>
        )}
        {missing && <span className="shrink-0">{t('result.without', { words: missing.join(t('common.comma')) })}</span>}
      </span>
    </span>
  )
}

const linesAround = 4

export function ResultPreview({ query, candidate }: { query: string; candidate: Candidate }) {
  const { path, startLine, endLine, matched } = candidate
  return (
    <div className="flex flex-col gap-4 p-4">
      <PlaceLink path={path} startLine={startLine} endLine={endLine} words={matched} />
      <Lines candidate={candidate} />
      <section className="flex flex-col gap-2">
        <h3 className="text-[12px] text-muted">{t('search.whyNote')}</h3>
        <p data-testid="why-sentences">{whySentences(candidate).join(' ')}</p>
        <ScoreBreakdown candidate={candidate} />
        <TextLink href={paths.found(query, { path, line: startLine })}>{t('search.figures')} →</TextLink>
      </section>
      <ResultActions place={{ path, line: startLine }} query={query} />
    </div>
  )
}

function Lines({ candidate: { path, startLine, endLine, snippet, matched } }: { candidate: Candidate }) {
  const { id: agent } = useAgent()
  const isChat = sessionOfPath(path) !== undefined
  const file = useQuery(api.workspace.read.queryOptions({ input: isChat ? skipToken : { agent, path } }))
  if (file.data === undefined) return <MemoryText path={path} text={snippet} words={matched} />
  const lines = file.data.text.split(/\r?\n/)
  const first = Math.max(1, startLine - linesAround)
  return (
    <div className="text-[13px]">
      {lines.slice(first - 1, endLine + linesAround).map((line, index) => {
        const isFound = first + index >= startLine && first + index <= endLine
        return (
          <p key={first + index} className={`px-1 wrap-anywhere ${isFound ? 'bg-found text-text' : 'text-muted'}`}>
            <Highlight text={withoutPrivateMarks(line) || ' '} words={isFound ? [] : matched} />
          </p>
        )
      })}
    </div>
  )
}

/** Minimum contribution of a part or feature, in log-odds, for a sentence about it. */
const minContribution = 0.1
/** Minimum part of the cosine for a sentence about a related word. */
const minShare = 0.15
const maxRelated = 2

function whySentences({ text, vector, parts, superseded }: Candidate): string[] {
  const terms = text?.terms ?? []
  const own = terms.filter(({ instead, alike }) => instead === undefined && !alike)
  const contributions = new Map(
    parts.flatMap(({ features }) => features.map(({ name, contribution }) => [name, contribution] as const)),
  )
  const counts = (...features: string[]) =>
    features.some((feature) => (contributions.get(feature) ?? 0) >= minContribution)
  const ownWords = own.map(({ term }) => t('search.why.word', { word: term }))
  const words = new Intl.ListFormat(i18next.language).format(ownWords)
  const sentences = [
    own.length > 0 && t('search.why.own', { count: own.length, words }),
    ...terms.map(
      ({ term, instead }) =>
        instead !== undefined &&
        t(instead.startsWith(term) ? 'search.why.beginning' : 'search.why.instead', { term, instead }),
    ),
    ...relatedWords(terms, vector).map((related) => t('search.why.related', related)),
    counts('previousWords', 'secondPreviousWords') && t('search.why.above'),
    counts('nextWords') && t('search.why.below'),
    counts('headingWords') && t('search.why.heading'),
    counts('date') && t('search.why.date'),
    superseded && t('search.why.superseded'),
  ].filter((sentence) => typeof sentence === 'string')
  if (sentences.length > 0) return sentences
  return [t(vector ? 'search.why.meaning' : 'search.why.section')]
}

function relatedWords(terms: NonNullable<Candidate['text']>['terms'], vector: Candidate['vector']) {
  const matched = new Set(terms.map(({ term }) => term))
  const alike = terms.flatMap(({ term, alike: word }) => (word && word !== term ? [{ term, word }] : []))
  const near = (vector?.terms ?? [])
    .filter(({ term, nearest, share }) => !matched.has(term) && nearest !== term && nearest !== '' && share >= minShare)
    .map(({ term, nearest }) => ({ term, word: nearest }))
  return [...alike, ...near].slice(0, maxRelated)
}

interface ResultProps {
  readonly result: RecordedSearch['results'][number]
  readonly query: string
  readonly isUsed?: boolean
}

export function Result({ result, query, isUsed = false }: ResultProps) {
  const { path, startLine, endLine, date, snippet } = result
  return (
    <div data-testid="result">
      <ResultMarks result={result} />
      <MemoryText path={path} text={snippet} className="line-clamp-6 text-text" />
      <p className="flex min-w-0 items-baseline gap-3 text-[12px] text-muted">
        {date !== undefined && <span className="shrink-0">{formatNoteDay(date)}</span>}
        <span className="min-w-0 truncate">
          <PlaceLink path={path} startLine={startLine} endLine={endLine} words={[]} />
        </span>
        {isUsed && <span className="shrink-0 text-added">{t('recalls.cited')}</span>}
      </p>
      <ResultActions place={{ path, line: startLine }} query={query} />
    </div>
  )
}
