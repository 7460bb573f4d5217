import { z } from 'zod'
import type { Condition, SearchResult } from '#shared/contract/index.ts'
import { maxQuery } from '#shared/util/limits.ts'
import { takeFitting, clip, dataNotice, wrapMemory, toLabel, tokensForItems } from '../bounded-answer.ts'
import { maxTokensOf } from '../token-limits.ts'
import { findStart, type TextPosition } from './lines-from.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool, type ToolContext } from './memory-tool.ts'

/** Time to wait until the index is up to date, ms; after it the search uses the existing index. */
const catchUpMs = 100
/** A passage of this many characters may be part of a single line. */
const longSnippetLength = 200
/** Minimum length of the shortened text of a result, tokens. */
const minTextTokens = 40
/** Time to wait if the first search found nothing, ms. */
const longCatchUpMs = 3000

const input = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(maxQuery)
    .describe(
      'What to look for, in words that the note probably uses. Filters: after:2026-05-03 before: on: in:2026-05 path:projects/ source:memory source:sessions tag:work status:open -word',
    ),
  maxResults: z.number().int().min(1).max(50).optional().describe('Maximum number of passages; default 6'),
  minScore: z.number().min(0).max(1).optional().describe('Minimum score, usually 0.35; lower it to see weaker matches'),
  maxTokens: maxTokensParameter,
})

const resultSchema = z.object({
  path: z.string(),
  startLine: z.number().int().describe('1-based, inclusive'),
  endLine: z.number().int(),
  fromCharacter: z.number().int().optional().describe('Character of the line at which the text begins, for memory_get'),
  heading: z.string(),
  score: z.number().describe('0 to 1'),
  why: z.string().describe('Why it matched'),
  superseded: z.string().optional().describe('End of validity, and the place of the replacement'),
  text: z.string(),
})
type ShownResult = z.infer<typeof resultSchema>

const output = z.object({
  results: z.array(resultSchema),
  notice: z.string(),
  conditions: z.array(z.string()).optional().describe('How the filters of the query were understood'),
  hint: z.string().optional(),
  leftOut: leftOutSchema,
})

export const memorySearch: MemoryTool<typeof input, typeof output> = {
  name: 'memory_search',
  title: 'Search memory',
  description:
    "Searches the user's long-term memory: decisions, preferences, people, dates, to-dos and notes of earlier sessions with any assistant. Call it at the start of a task and before answering anything about earlier work, decisions, people, dates or preferences. Returns passages with path, lines, score and why they match; cite them as [path:line].",
  input,
  output,
  isReadOnly: true,
  async run({ query, maxResults, minScore, maxTokens }, context) {
    const { agent, client, ask } = context
    const search = (waitMs: number) =>
      ask((primary) =>
        primary.search.query({
          agent,
          query,
          forProgram: client,
          options: { maxResults, minScore, catchUpMs: waitMs },
        }),
      )
    const firstAnswer = await search(catchUpMs)
    // An outdated index may lack the note, so an empty search is repeated.
    const answer = firstAnswer.stale && firstAnswer.results.length === 0 ? await search(longCatchUpMs) : firstAnswer
    const { results, notice, stale, standstill, conditions = [] } = answer
    const hints = [
      ...(results.length === 0 ? [nothingFoundHint(answer.minScore)] : []),
      ...(notice ? [`Only words were searched, not meaning: ${clip(notice.message, 60)}.`] : []),
      ...staleIndexHints(stale, standstill),
    ]
    const otherFields = {
      notice: dataNotice,
      ...(conditions.length > 0 ? { conditions: conditions.slice(0, 10).map(conditionText) } : {}),
      ...(hints.length > 0 ? { hint: hints.join(' ') } : {}),
    }
    const shownResults = await Promise.all(
      results.map(async (result) => toShownResult(result, await locateStart(result, context))),
    )
    const tokenLimit = tokensForItems(maxTokens, otherFields)
    const { shown, omittedCount } = takeFitting(shownResults, tokenLimit, (result) => result, withShortenedText)
    const isCut = shown.some(({ text }, index) => text !== shownResults[index]?.text)
    const leftOut = omittedCount > 0 || isCut ? { leftOut: leftOutOf(omittedCount, isCut) } : {}
    return { results: shown, ...otherFields, ...leftOut }
  },
}

/** Returns hints about an outdated index. @param standstill reason why it cannot be written; undefined if it can */
export function staleIndexHints(stale: boolean, standstill: string | undefined): string[] {
  if (standstill !== undefined)
    return [
      `Recent changes are not searched because the index cannot be written (${clip(standstill, 60)}): tell the user. memory_get reads the current notes.`,
    ]
  return stale ? ['The index is still catching up with recent changes.'] : []
}

async function locateStart(result: SearchResult, context: ToolContext): Promise<TextPosition> {
  return result.snippet.length < longSnippetLength ? { line: result.startLine } : findStart(result, context)
}

function toShownResult(result: SearchResult, { line: startLine, character }: TextPosition): ShownResult {
  const { path, endLine, heading, score, snippet, superseded } = result
  return {
    path: toLabel(path),
    startLine,
    endLine,
    ...(character === undefined ? {} : { fromCharacter: character }),
    heading: toLabel(heading, 40),
    score: Number(score.toFixed(3)),
    why: matchReasonOf(result),
    ...(superseded && { superseded: toLabel(`held until ${superseded.until}${replacementText(superseded.by)}`) }),
    text: wrapMemory(character === undefined ? snippet : `…${snippet.replace(/^…/, '')}`),
  }
}

function withShortenedText(result: ShownResult, tokenLimit: number): ShownResult {
  const text = result.text.slice(result.text.indexOf('\n') + 1, result.text.lastIndexOf('\n'))
  const textTokens = tokenLimit - maxTokensOf(JSON.stringify({ ...result, text: wrapMemory('') }))
  return { ...result, text: wrapMemory(clip(text, Math.max(minTextTokens, textTokens))) }
}

function replacementText(by: string | undefined): string {
  return by === undefined ? '' : `; now: ${by}`
}

function leftOutOf(resultCount: number, isCut: boolean) {
  const passage = isCut ? ['the end of the passage'] : []
  const results = resultCount > 0 ? [`${resultCount} more results`] : []
  return {
    what: [...passage, ...results].join('; '),
    howToGet: 'a larger maxTokens, a smaller maxResults, or a narrower query; memory_get reads whole lines',
  }
}

function matchReasonOf({ textScore, vectorScore, matched }: SearchResult): string {
  const words = [...new Set(matched)].slice(0, 8).map((word) => clip(word, 12))
  return [
    ...(textScore ? [`words ${textScore.toFixed(2)}${words.length > 0 ? ` (${words.join(', ')})` : ''}`] : []),
    ...(vectorScore ? [`meaning ${vectorScore.toFixed(2)}`] : []),
  ].join('; ')
}

function nothingFoundHint(minScore: number): string {
  return `Nothing scored ${minScore} or more. Try other words, a lower minScore, or memory_explain to see how close they came.`
}

/** Describes a condition of the query with its dates (both inclusive). */
export function conditionText({ kind, text, from, to, isUnread }: Condition): string {
  const shownText = clip(text, 30)
  if (isUnread) return `${shownText}: not understood, searched as words`
  const days = from === to ? from : `${from ?? '…'} to ${to ?? '…'}`
  return `${kind === 'time' ? 'raised' : 'only'}: ${shownText}${from === null && to === null ? '' : ` (${days})`}`
}
