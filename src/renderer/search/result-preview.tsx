import { skipToken, useQuery } from '@tanstack/react-query'
import i18next, { t } from 'i18next'
import type { Candidate } from '#shared/contract/index.ts'
import { withoutPrivateMarks } from '#shared/markdown/marks.ts'
import { api } from '#lib/api/client.ts'
import { TextLink } from '#lib/ui/button.tsx'
import { Highlight } from '#lib/ui/long-text.tsx'
import { paths } from '#lib/router/paths.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import { PlaceLink } from '../markdown/citations/place-link.tsx'
import { ResultActions } from '../markdown/citations/result-actions.tsx'
import { ScoreBreakdown } from './score-breakdown.tsx'
import { MemoryText } from './unit-text.tsx'

/** Lines shown before and after the result. */
const linesAround = 4

interface ResultPreviewProps {
  readonly agent: string
  readonly query: string
  readonly candidate: Candidate
}

/** The lines around a result, and why it was found: in sentences, then in bars. */
export function ResultPreview({ agent, query, candidate }: ResultPreviewProps) {
  const { path, startLine, endLine, matched } = candidate
  return (
    <div className="flex flex-col gap-4 p-4">
      <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} words={matched} />
      <Lines agent={agent} candidate={candidate} />
      <section className="flex flex-col gap-2">
        <h3 className="text-[12px] text-muted">{t('search.whyNote')}</h3>
        <p data-testid="why-sentences">{whySentences(candidate).join(' ')}</p>
        <ScoreBreakdown candidate={candidate} />
        <TextLink href={paths.found(query, { path, line: startLine })}>{t('search.figures')} →</TextLink>
      </section>
      <ResultActions agent={agent} place={{ path, line: startLine }} query={query} />
    </div>
  )
}

function Lines({
  agent,
  candidate: { path, startLine, endLine, snippet, matched },
}: Omit<ResultPreviewProps, 'query'>) {
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
/** Maximum sentences about related words. */
const maxRelated = 2

/** Explains in sentences why a search found a line: its words first, then what surrounds it. */
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

function relatedWords(
  terms: NonNullable<Candidate['text']>['terms'],
  vector: Candidate['vector'],
): { term: string; word: string }[] {
  const matched = new Set(terms.map(({ term }) => term))
  const alike = terms.flatMap(({ term, alike: word }) => (word && word !== term ? [{ term, word }] : []))
  const near = (vector?.terms ?? [])
    .filter(({ term, nearest, share }) => !matched.has(term) && nearest !== term && nearest !== '' && share >= minShare)
    .map(({ term, nearest }) => ({ term, word: nearest }))
  return [...alike, ...near].slice(0, maxRelated)
}
