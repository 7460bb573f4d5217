/** The tool that searches the memory. */
import { z } from 'zod'
import type { Condition, SearchResult } from '../../../shared/contract/index.ts'
import { maxQuery } from '../../../shared/limits.ts'
import { bounded, clipped, dataNotice, fenced, label, roomFor } from '../answer.ts'
import { leftOutSchema, maxTokensParameter, type MemoryTool } from './tool.ts'

/** Where files are looked at for the first time, the index as it was answers: a program waits for its first word, ms. */
const catchUpMs = 100
/** Where nothing was found, it is worth waiting for the look at the files, ms. */
const longCatchUpMs = 3000

const input = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(maxQuery)
    .describe(
      'What to look for, in the words it was probably written in. Filters: after:2026-05-03 before: on: in:2026-05 path:projects/ source:memory source:sessions tag:work status:open -word',
    ),
  maxResults: z.number().int().min(1).max(50).optional().describe('How many passages at most; 6 when left out'),
  minScore: z.number().min(0).max(1).optional().describe('Lower it to see weaker matches; usually 0.35'),
  maxTokens: maxTokensParameter,
})

const resultSchema = z.object({
  path: z.string(),
  startLine: z.number().int().describe('1-based, inclusive'),
  endLine: z.number().int(),
  heading: z.string(),
  score: z.number().describe('0 to 1'),
  why: z.string().describe('What made it match'),
  superseded: z.string().optional().describe('It held until then; what holds now stands at the place that is named'),
  text: z.string(),
})
type Shown = z.infer<typeof resultSchema>

const output = z.object({
  results: z.array(resultSchema),
  notice: z.string(),
  conditions: z.array(z.string()).optional().describe('How filters of the query were understood'),
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
  async run({ query, maxResults, minScore, maxTokens }, { agent, client, ask }) {
    const search = (waitMs: number) =>
      ask((owner) =>
        owner.search.query({ agent, query, forProgram: client, options: { maxResults, minScore, catchUpMs: waitMs } }),
      )
    const atOnce = await search(catchUpMs)
    // Nothing in the index as it was may be nothing yet.
    const found = atOnce.stale && atOnce.results.length === 0 ? await search(longCatchUpMs) : atOnce
    const { results, notice, stale, standstill, conditions = [] } = found
    const hints = [
      ...(results.length === 0 ? [nothingFound(found.minScore)] : []),
      ...(notice ? [`Only words were searched, not meaning: ${clipped(notice.message, 60)}.`] : []),
      ...catchingUp(stale, standstill),
    ]
    const rest = {
      notice: dataNotice,
      ...(conditions.length > 0 ? { conditions: conditions.slice(0, 10).map(conditionText) } : {}),
      ...(hints.length > 0 ? { hint: hints.join(' ') } : {}),
    }
    const { kept, left } = bounded(results, roomFor(maxTokens, rest), shown, shownInPart)
    return { results: kept, ...rest, ...(left > 0 ? { leftOut: leftOut(left) } : {}) }
  },
}

/** What the answer may lack. */
export function catchingUp(stale: boolean, standstill: string | undefined): string[] {
  if (standstill !== undefined)
    return [
      `Recent changes are not searched, for the index cannot be written (${clipped(standstill, 60)}): tell the user. memory_recent names what changed, memory_get reads it.`,
    ]
  return stale ? ['The index is still catching up with recent changes.'] : []
}

function shown(result: SearchResult): Shown {
  const { path, startLine, endLine, heading, score, snippet, superseded } = result
  return {
    path: label(path),
    startLine,
    endLine,
    heading: label(heading, 40),
    score: Number(score.toFixed(3)),
    why: whyOf(result),
    ...(superseded && { superseded: label(`held until ${superseded.until}${nowAt(superseded.by)}`) }),
    text: fenced(snippet),
  }
}

function shownInPart(result: SearchResult, room: number): Shown {
  const whole = shown(result)
  return { ...whole, text: fenced(clipped(result.snippet, Math.max(0, room - 200))) }
}

function nowAt(by: string | undefined): string {
  return by === undefined ? '' : `; now: ${by}`
}

function leftOut(results: number) {
  return {
    what: `${results} more results`,
    howToGet: 'a larger maxTokens, a smaller maxResults, or a narrower query; memory_get reads whole lines',
  }
}

function whyOf({ textScore, vectorScore, matched }: SearchResult): string {
  const words = [...new Set(matched)].slice(0, 8).map((word) => clipped(word, 12))
  return [
    ...(textScore ? [`words ${textScore.toFixed(2)}${words.length > 0 ? ` (${words.join(', ')})` : ''}`] : []),
    ...(vectorScore ? [`meaning ${vectorScore.toFixed(2)}`] : []),
  ].join('; ')
}

function nothingFound(minScore: number): string {
  return `Nothing scored ${minScore} or more. Try other words, a lower minScore, or memory_explain to see how close they came.`
}

export function conditionText({ kind, text, from, to, isUnread }: Condition): string {
  const shownText = clipped(text, 30)
  if (isUnread) return `${shownText}: not understood, searched as words`
  const days = from === to ? from : `${from ?? '…'} to ${to ?? '…'}`
  return `${kind === 'time' ? 'raised' : 'only'}: ${shownText}${from === null && to === null ? '' : ` (${days})`}`
}
