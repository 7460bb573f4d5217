import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { t } from 'i18next'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { splitCitations } from '#shared/markdown/citation.ts'
import type { RecordedSearch } from '#shared/contract/index.ts'
import { messageText } from '#shared/chat/messages.ts'
import { Result } from '../../search/result.tsx'
import { type Turn, searchesOf } from './turns.ts'

export function SourcesLine({ agent, turn }: { agent: string; turn: Turn }) {
  const [isOpen, setIsOpen] = useState(false)
  const sources = useMemo(() => sourcesOf(turn), [turn])
  if (sources.length === 0) return null
  const usedCount = sources.filter(({ isUsed }) => isUsed).length
  return (
    <div data-testid="sources">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-6 items-center gap-1.5 rounded-sm text-[12px] text-muted hover:text-text"
      >
        <ChevronRight size={12} aria-hidden className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        {usedCount > 0 ? t('chat.fromMemories', { count: usedCount }) : t('chat.noneCited', { count: sources.length })}
      </button>
      {isOpen && (
        <ul className="mt-2 flex flex-col gap-4 border-l border-line pl-4">
          {sources.map(({ result, query, isUsed }) => (
            <li key={`${result.path}:${result.startLine}`}>
              <ErrorBoundary piece="row" resetKey={result}>
                <Result agent={agent} result={result} query={query} isUsed={isUsed} />
              </ErrorBoundary>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

type RecordedResult = RecordedSearch['results'][number]

interface AnswerSource {
  readonly result: RecordedResult
  readonly query: string
  /** True if the answer cites its lines. */
  readonly isUsed: boolean
}

function sourcesOf(turn: Turn): AnswerSource[] {
  const citations = turn.answers
    .flatMap(({ message }) => splitCitations(messageText(message)))
    .filter((part) => typeof part !== 'string')
  const isUsed = ({ path, startLine, endLine }: RecordedResult) =>
    citations.some(
      (citation) =>
        citation.path === path &&
        (citation.line === undefined || (citation.line <= endLine && (citation.endLine ?? citation.line) >= startLine)),
    )
  const sources = new Map<string, AnswerSource>()
  for (const { query, results } of searchesOf(turn))
    for (const result of results) {
      const key = `${result.path}:${result.startLine}`
      const previous = sources.get(key)
      if (previous && previous.result.score >= result.score) continue
      sources.set(key, { result, query, isUsed: isUsed(result) })
    }
  return [...sources.values()].sort((a, b) => Number(b.isUsed) - Number(a.isUsed) || b.result.score - a.result.score)
}
