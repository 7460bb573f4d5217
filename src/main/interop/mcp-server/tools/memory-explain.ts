import { z } from 'zod'
import type { Candidate, Explanation } from '#shared/contract/index.ts'
import { weightsSchema } from '#shared/contract/search.ts'
import { hostTexts } from '#shared/i18n/host-texts.ts'
import { verdictText } from '#shared/util/format-result.ts'
import { AppError } from '#shared/util/errors.ts'
import { missingLineText, parseLines } from '#shared/util/file-lines.ts'
import { maxPath } from '#shared/util/limits.ts'
import { takeFitting, clipToTokens, toLabel, tokensForItems } from '../bounded-answer.ts'
import { staleIndexHints, conditionText } from './memory-search.ts'
import {
  leftOutSchema,
  maxTokensParameter,
  queryParameter,
  type MemoryTool,
  type MemoryToolContext,
} from './memory-tool.ts'

const input = z.object({
  query: queryParameter.describe('The query of the search'),
  path: z.string().min(1).max(maxPath).optional().describe('With line: explains why this line was or was not found'),
  line: z.number().int().min(1).optional().describe('1-based; can also be in path: memory/2026-01-20.md:45'),
  maxCandidates: z.number().int().min(1).max(100).default(10),
  maxTokens: maxTokensParameter,
})

const candidateSchema = z.object({
  path: z.string(),
  startLine: z.number().int(),
  endLine: z.number().int(),
  score: z.number(),
  verdict: z.string(),
  bm25: z.number().nullable().describe('Keyword score before ranking; null without searched words'),
  cosine: z.number().nullable().describe('Similarity of meaning; null without vectors'),
  parts: z
    .array(z.object({ name: z.string(), contribution: z.number() }))
    .describe('Parts of the score; with the ranking model, the score is the logistic function of their sum'),
  matched: z.array(z.string()).describe('Words of the text that match the query'),
})

const output = z.object({
  minScore: z.number(),
  weights: weightsSchema.nullable().describe('null: the ranking model'),
  conditions: z.array(z.string()),
  candidates: z.array(candidateSchema),
  why: z
    .object({ path: z.string(), line: z.number().int(), reason: z.string(), rank: z.number().int().nullable() })
    .optional(),
  hint: z.string().optional(),
  leftOut: leftOutSchema,
})

const howToGet = 'a larger maxCandidates or maxTokens, or path and line of the place in question'

export const memoryExplainTool: MemoryTool<typeof input, typeof output> = {
  name: 'memory_explain',
  title: 'Explain a search',
  description:
    'Explains the result of a memory search: the score of every candidate and its parts; with path and line, why that place was or was not found. Use it when memory_search missed something that should be there.',
  input,
  output,
  async run({ query, path, line, maxCandidates, maxTokens }, context) {
    const { agent, client, ask } = context
    const place = path === undefined ? undefined : (parseLines(path) ?? { path, startLine: undefined })
    const placeLine = line ?? place?.startLine
    if ((place === undefined) !== (placeLine === undefined))
      throw new AppError('input_invalid', 'pass path and line together, or neither', { reason: 'path, line' })
    const whyOption =
      place === undefined || placeLine === undefined ? {} : { why: { path: place.path, line: placeLine } }
    const { minScore, weights, conditions, candidates, why, stale, standstill } = await ask((primary) =>
      primary.search.explain({ agent, query, forProgram: client, ...whyOption }),
    )
    const hints = staleIndexHints(stale, standstill)
    const otherFields = {
      minScore,
      weights,
      conditions: conditions.slice(0, 10).map(conditionText),
      ...(why ? { why: await explainPlace(why, context) } : {}),
      ...(hints.length > 0 ? { hint: hints.join(' ') } : {}),
    }
    const { shown } = takeFitting(
      candidates.slice(0, maxCandidates),
      tokensForItems(maxTokens, otherFields),
      toShownCandidate,
      (candidate) => ({ ...toShownCandidate(candidate), parts: [], matched: [] }),
    )
    const omittedCount = candidates.length - shown.length
    const leftOut = { what: `${omittedCount} candidates with lower scores`, howToGet }
    return { ...otherFields, candidates: shown, ...(omittedCount > 0 ? { leftOut } : {}) }
  },
}

function toShownCandidate(candidate: Candidate): z.infer<typeof candidateSchema> {
  const { path, startLine, endLine, score, vector, text, parts, matched, verdict } = candidate
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

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

const reasons: Readonly<Record<NonNullable<Explanation['why']>['reason'], string>> = {
  returned: 'it was returned',
  joined: 'it is part of the same entry as another result, and shown there',
  duplicate: 'another result says the same',
  weak: 'its score is too low; ask with a lower minScore, or with words from the text',
  overLimit: 'others scored higher; ask with a larger maxResults or maxTokens',
  outsideFilter: 'a filter of the query excludes it',
  notIndexed: 'it is not searched',
  noMatch: 'no word of the query matches it; use words from the text',
  private: 'this place is private, in part or in full, or does not exist',
}

async function explainPlace(why: NonNullable<Explanation['why']>, { agent, client, ask }: MemoryToolContext) {
  const { path, line, reason, rank, unsearched } = why
  if (!unsearched) return { path: toLabel(path), line, reason: reasons[reason], rank }
  const place = { agent, path, from: line, count: 1, forProgram: client }
  // The index reports a line after the end as an empty line.
  const mayBeMissing = unsearched.reason === 'emptyLine'
  const total = mayBeMissing ? (await ask((primary) => primary.workspace.lines(place))).total : line
  const exclusion =
    line > total ? missingLineText(toLabel(path), total, line) : hostTexts.en.exclusion[unsearched.reason]
  const detail = unsearched.message === undefined ? '' : ` (${toLabel(unsearched.message)})`
  return { path: toLabel(path), line, reason: `${reasons[reason]}: ${exclusion}${detail}`, rank }
}
