import { z } from 'zod'
import type { Condition } from '#shared/contract/index.ts'
import { formatCondition, formatRemarks, formatResult } from '#shared/util/format-result.ts'
import {
  clipToTokens,
  dataNotice,
  defaultAnswerTokens,
  fittingText,
  tokensForItems,
  toLine,
} from '../bounded-answer.ts'
import { queryParameter, tokenLimit, type MemoryTool } from './memory-tool.ts'

/** Time to wait until the index is up to date, ms. */
const catchUpMs = 100
const longCatchUpMs = 3000
/** Most characters of a token; the token limit then cuts the answer. */
const charactersPerToken = 4

const input = z.object({
  query: queryParameter.describe(
    'What to look for, in words that the note probably uses. Filters: after:2026-05-03 before: on: in:2026-05 path:projects/ tag:work status:open -word',
  ),
  maxResults: z.number().int().min(1).max(50).optional().describe('Maximum number of results; default 20'),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Minimum probability that a result answers the query; lower it to see weaker results'),
  maxTokens: tokenLimit
    .optional()
    .describe('Limit of the answer in tokens, for more than the default of 1,600 characters'),
})

export const mcpMemorySearchTool: MemoryTool<typeof input, undefined> = {
  name: 'memory_search',
  title: 'Search memory',
  description:
    "Searches the user's long-term memory: decisions, preferences, people, dates, to-dos and notes of earlier sessions with any assistant. Call it at the start of a task and before answering anything about earlier work, decisions, people, dates or preferences. Returns one result a line, best first: path:first-last · score · date · text. Cite results as [path:line].",
  input,
  async run({ query, maxResults, minScore, maxTokens }, { agent, client, ask }) {
    const maxCharacters = maxTokens === undefined ? undefined : charactersPerToken * maxTokens
    const search = (waitMs: number) => {
      const options = { maxResults, minScore, maxCharacters, catchUpMs: waitMs }
      return ask((primary) => primary.search.query({ agent, query, forProgram: client, options }))
    }
    const firstAnswer = await search(catchUpMs)
    // An outdated index may lack the note, so an empty search is repeated.
    const answer = firstAnswer.stale && firstAnswer.results.length === 0 ? await search(longCatchUpMs) : firstAnswer
    const { results, notice, stale, standstill, conditions = [] } = answer
    const least = Number(answer.minScore.toFixed(2))
    const nothingFound = `Nothing reached the score ${least}. Try other words, or memory_explain to see how close the candidates came.`
    const named = conditions.filter(({ isUnread, nearest }) => isUnread === true || nearest !== undefined)
    const hints = [
      ...(results.length === 0 ? [nothingFound] : []),
      ...named.slice(0, 10).map(conditionText),
      ...(notice ? [`Only words were searched, not meaning: ${clipToTokens(toLine(notice.message), 60)}.`] : []),
      ...staleIndexHints(stale, standstill),
      toLine(`Embeddings: ${answer.provider} ${answer.model}`.trim()),
    ]
    const lines = results.map((result) => toLine(formatResult(result) + formatRemarks(result)))
    const { lines: shown } = fittingText(
      lines,
      tokensForItems(maxTokens ?? defaultAnswerTokens, [dataNotice, ...hints]),
    )
    const omittedCount = lines.length - shown.length
    return [
      ...(shown.length > 0 ? [dataNotice] : []),
      ...shown,
      ...(omittedCount > 0 ? [`${omittedCount} more results: use a larger maxTokens or a narrower query.`] : []),
      ...hints,
    ]
  },
}

/** @param standstill reason why the index cannot be written; undefined if it can */
export function staleIndexHints(stale: boolean, standstill: string | undefined): string[] {
  if (standstill !== undefined)
    return [
      `Recent changes are not searched because the index cannot be written (${clipToTokens(standstill, 60)}): tell the user. memory_get reads the current notes.`,
    ]
  return stale ? ['The index is still catching up with recent changes.'] : []
}

export function conditionText(condition: Condition): string {
  return formatCondition({ ...condition, text: clipToTokens(condition.text, 30) })
}
