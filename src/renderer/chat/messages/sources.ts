/** What an answer rests on: what its searches returned, and what of that it cites or has read. Pure. */
import { splitCitations } from '#shared/markdown/citation.ts'
import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { messageText } from '#shared/chat/messages.ts'
import { recallsOf, type Turn } from './turns.ts'

export interface SourceOfAnswer {
  readonly result: SearchResult
  /** The search that found it. */
  readonly recall: SearchResponse
  /** Its lines are cited in the answer. */
  readonly isUsed: boolean
}

/** Each place once, those that are cited first, else by score. */
export function sourcesOf(turn: Turn): SourceOfAnswer[] {
  const citations = turn.answers
    .flatMap(({ message }) => splitCitations(messageText(message)))
    .filter((part) => typeof part !== 'string')
  const isUsed = ({ path, startLine, endLine }: SearchResult) =>
    citations.some(
      (cited) =>
        cited.path === path &&
        (cited.line === undefined || (cited.line <= endLine && (cited.endLine ?? cited.line) >= startLine)),
    )
  const sources = new Map<string, SourceOfAnswer>()
  for (const recall of recallsOf(turn))
    for (const result of recall.results) {
      const key = `${result.path}:${result.startLine}`
      const known = sources.get(key)
      if (known && known.result.score >= result.score) continue
      sources.set(key, { result, recall, isUsed: isUsed(result) })
    }
  return [...sources.values()].sort(
    (one, other) => Number(other.isUsed) - Number(one.isUsed) || other.result.score - one.result.score,
  )
}
