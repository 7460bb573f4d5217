import { z } from 'zod'
import type { Candidate, Condition, SearchResponse } from '#shared/contract/index.ts'
import { formatCondition, formatRemarks, formatResult, verdictText } from '#shared/util/format-result.ts'
import {
  clipToTokens,
  dataNotice,
  defaultAnswerTokens,
  fittingText,
  tokensForItems,
  toLabel,
  toLine,
} from '../bounded-answer.ts'
import { parametersOf, queryParameter, type MemoryTool } from './memory-tool.ts'

/** Time to wait until the index is up to date, ms. */
const catchUpMs = 100
const longCatchUpMs = 3000
/** Candidates in the account of the scores. */
const maxCandidates = 10

const input = parametersOf({
  query: queryParameter.describe(
    'Words that the note probably uses. Filters: after:2026-05-03 before: on: in:2026-05 path:projects/ tag:work status:open -word',
  ),
  maxResults: z.number().int().min(1).max(50).optional(),
  minScore: z.number().min(0).max(1).optional(),
  why: z.boolean().optional().describe('Adds the scores of all candidates'),
})

export const mcpMemorySearchTool: MemoryTool<typeof input> = {
  name: 'memory_search',
  title: 'Search memory',
  description:
    "Searches the user's long-term memory: decisions, preferences, people, dates, tasks, earlier sessions. Call it at the start of a task and before answering about them. One result a line: path:lines · score · date · text. Cite as [path:line].",
  input,
  async run({ query, maxResults, minScore, why = false }, { agent, client, ask }) {
    const search = (waitMs: number) => {
      const options = { maxResults, minScore, catchUpMs: waitMs }
      return ask((primary) => primary.search.query({ agent, query, forProgram: client, options }))
    }
    const firstAnswer = await search(catchUpMs)
    // An outdated index may lack the note, so an empty search is repeated.
    const answer = firstAnswer.stale && firstAnswer.results.length === 0 ? await search(longCatchUpMs) : firstAnswer
    const { results, notice, stale, standstill, reading, conditions = [] } = answer
    const least = Number(answer.minScore.toFixed(2))
    const nothingFound = `Nothing reached the score ${least}. Try other words, or why: true to see how close the candidates came.`
    const named = conditions.filter(({ isUnread, nearest }) => isUnread === true || nearest !== undefined)
    const hints = [
      ...(results.length === 0 ? [nothingFound] : []),
      ...named.slice(0, 10).map(conditionText),
      ...(notice ? [`Only words were searched, not meaning: ${clipToTokens(toLine(notice.message), 60)}.`] : []),
      ...staleIndexHints(stale, standstill, reading),
      toLine(`Embeddings: ${answer.provider} ${answer.model}`.trim()),
    ]
    const all = results.map((result) => toLine(formatResult(result) + formatRemarks(result)))
    const { lines: shown } = fittingText(all, tokensForItems(defaultAnswerTokens, [dataNotice, ...hints]))
    const omittedCount = all.length - shown.length
    const lines = [
      ...(shown.length > 0 ? [dataNotice] : []),
      ...shown,
      ...(omittedCount > 0 ? [`${omittedCount} more results: use a narrower query.`] : []),
      ...hints,
    ]
    if (!why) return { lines }
    const { candidates } = await ask((primary) => primary.search.explain({ agent, query, forProgram: client }))
    return {
      lines,
      structured: { minScore: answer.minScore, candidates: candidates.slice(0, maxCandidates).map(toShown) },
    }
  },
}

/** `parts`: with the ranking model, the score is the logistic function of their sum. */
function toShown({ path, startLine, endLine, score, vector, text, parts, matched, verdict }: Candidate) {
  const round = (value: number, digits: number) => Number(value.toFixed(digits))
  return {
    path: toLabel(path),
    startLine,
    endLine,
    score: round(score, 3),
    verdict: clipToTokens(verdictText(verdict), 60),
    bm25: text && round(text.raw, 2),
    cosine: vector && round(vector.raw, 2),
    parts: parts.map(({ name, contribution }) => ({ name, contribution: round(contribution, 2) })),
    matched: [...new Set(matched)].slice(0, 8).map((word) => clipToTokens(word, 12)),
  }
}

/** @param standstill reason why the index cannot be written; undefined if it can */
function staleIndexHints(stale: boolean, standstill: string | undefined, reading: SearchResponse['reading']) {
  if (standstill !== undefined)
    return [
      `Recent changes are not searched because the index cannot be written (${clipToTokens(standstill, 60)}): tell the user. memory_get reads the current notes.`,
    ]
  if (reading) return [`Still reading: ${reading.done} of ${reading.total} notes. Ask again later for the rest.`]
  return stale ? ['The index is still catching up with recent changes.'] : []
}

function conditionText(condition: Condition): string {
  return formatCondition({ ...condition, text: clipToTokens(condition.text, 30) })
}
