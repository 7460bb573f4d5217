import { readFile } from 'node:fs/promises'
import type { SearchResponse, SearchResult } from '#shared/contract/index.ts'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { formatResult } from '#shared/util/format-result.ts'
import { isHit, mergeOverlapping, parseQuestions, type JudgedQuestion, type LineRange } from './judged-questions.ts'

export interface EvaluationTarget {
  readonly rank: (query: string) => Promise<SearchResponse>
  readonly search: (query: string) => Promise<SearchResponse>
  readonly minScore: number | null
  readonly maxResults: number
}

/**
 * Reads a file of questions, one JSON object per line.
 * @throws AppError `question_invalid`, `input_invalid` if the file has no question, `file_not_found` if
 * it can't be read
 */
export async function readQuestions(file: string, kind: 'judged' | 'offTopic' = 'judged'): Promise<JudgedQuestion[]> {
  const text = await readFile(file, 'utf8').catch(onSystemError(undefined, 'ENOENT', 'EISDIR', 'EACCES'))
  if (text === undefined) throw new AppError('file_not_found', `${file} cannot be read`, { path: file })
  return parseQuestions(text, file, kind)
}

const characterLimits = [400, 800, 1600, 3200] as const

export interface ScoredResult {
  readonly score: number
  readonly isRight: boolean
}

/**
 * Runs each question twice, without a threshold and with the settings in force, and computes the figures: means over the
 * questions, from 0 to 1. The inherited figures are those of the ranking without a threshold.
 * @param offTopic questions that the memory can't answer; `offTopic` is absent in the report if undefined
 * @param onProgress called after each question
 */
export async function evaluate(
  { rank, search, minScore, maxResults }: EvaluationTarget,
  questions: readonly JudgedQuestion[],
  offTopic: readonly JudgedQuestion[] | undefined,
  onProgress: (done: number, total: number) => void,
) {
  const total = questions.length + (offTopic?.length ?? 0)
  const rows: JudgedRow[] = []
  for (const question of questions) {
    rows.push(judgeRow(question, await rank(question.query), await search(question.query)))
    onProgress(rows.length, total)
  }
  const off: { top: number; isAnswered: boolean }[] = []
  for (const { query } of offTopic ?? []) {
    off.push({ top: bestScore(await rank(query)), isAnswered: (await search(query)).results.length > 0 })
    onProgress(rows.length + off.length, total)
  }
  const times = rows.map(({ ms }) => ms).sort((one, other) => one - other)
  const { returned, ...ranked } = figuresOfBoth(rows)
  const kinds = Map.groupBy(rows, ({ category }) => category)
  kinds.delete(undefined)
  const categories = [...kinds].map(([kind, members]) => [kind, { n: members.length, ...figuresOfBoth(members) }])
  const shareShown = (limit: number) => mean(rows.map((row) => Number(row.charactersUntilShown <= limit)))
  return {
    n: rows.length,
    ...ranked,
    answered: returned.answered,
    minScore,
    maxResults,
    returned,
    shownWithin: Object.fromEntries(characterLimits.map((limit) => [limit, shareShown(limit)])),
    meanCharacters: mean(rows.map(({ characters }) => characters)),
    calibrationError: calibrationError(rows.flatMap((row) => row.ranked.results)),
    ...(kinds.size > 0 ? { categories: Object.fromEntries(categories) } : {}),
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    ...(offTopic && {
      offTopic: { n: off.length, auc: auc(rows, off), answered: mean(off.map(({ isAnswered }) => Number(isAnswered))) },
    }),
  }
}

type JudgedRow = ReturnType<typeof judgeRow>

function judgeRow(
  { category, relevant }: JudgedQuestion,
  ranked: SearchResponse,
  { results, timings }: SearchResponse,
) {
  const shown = results.findIndex((result) => relevant.some((lines) => isHit(result, lines)))
  return {
    category,
    ranked: judge(ranked.results, relevant),
    returned: judge(results, relevant),
    top: bestScore(ranked),
    ms: timings.totalMs,
    /** Characters of output up to the end of the first line with a judged line. */
    charactersUntilShown: shown < 0 ? Infinity : charactersOf(results.slice(0, shown + 1)),
    characters: charactersOf(results),
  }
}

/** Notes precede chats, so the first result need not be the best. */
function bestScore({ results }: SearchResponse): number {
  return Math.max(0, ...results.map(({ score }) => score))
}

type JudgedAnswer = ReturnType<typeof judge>

/** `isNew`: the result overlaps a judged range that no better result overlaps. Overlapping ranges count once. */
function judge(results: readonly SearchResult[], relevant: readonly LineRange[]) {
  const judged = mergeOverlapping(relevant)
  const found = new Set<LineRange>()
  const judgedResults = results.map((result) => {
    const overlapping = judged.filter((lines) => isHit(result, lines))
    const isNew = overlapping.some((lines) => !found.has(lines))
    for (const lines of overlapping) found.add(lines)
    return { score: result.score, isRight: overlapping.length > 0, isNew }
  })
  return { judged: judged.length, results: judgedResults }
}

function charactersOf(results: readonly SearchResult[]): number {
  return results.reduce((sum, result) => sum + formatResult(result).length + 1, 0)
}

const minCalibratedScore = 0.1
const calibrationBins = 10

/**
 * Returns the expected calibration error (Naeini et al., 2015) over bins of equal count: the mean difference of score
 * and share of right results. Scores below `minCalibratedScore` are left out, because almost all results have them.
 */
export function calibrationError(scored: readonly ScoredResult[]): number {
  const sorted = scored
    .filter(({ score }) => score >= minCalibratedScore)
    .toSorted((one, other) => one.score - other.score)
  let error = 0
  for (let bin = 0; bin < calibrationBins; bin += 1) {
    const [from, to] = [bin, bin + 1].map((at) => Math.floor((at * sorted.length) / calibrationBins))
    const part = sorted.slice(from, to)
    error += Math.abs(part.reduce((sum, { score, isRight }) => sum + score - Number(isRight), 0))
  }
  return sorted.length === 0 ? 0 : error / sorted.length
}

function figuresOfBoth(rows: readonly JudgedRow[]) {
  const answered = rows.flatMap(({ returned: { results } }) => (results.length > 0 ? [results] : []))
  return {
    ...figuresOf(rows.map(({ ranked }) => ranked)),
    returned: {
      ...figuresOf(rows.map(({ returned }) => returned)),
      answered: rows.length === 0 ? 0 : answered.length / rows.length,
      /** Over the questions that have results. */
      precision: mean(answered.map((results) => mean(results.map(({ isRight }) => Number(isRight))))),
    },
  }
}

function figuresOf(answers: readonly JudgedAnswer[]) {
  const firstRight = answers.map(({ results }) => results.findIndex(({ isRight }) => isRight))
  const recallAt = (depth: number) => mean(firstRight.map((at) => Number(at >= 0 && at < depth)))
  return {
    recallAt1: recallAt(1),
    recallAt5: recallAt(5),
    recallAt10: recallAt(10),
    mrr: mean(firstRight.map((at) => (at < 0 ? 0 : 1 / (at + 1)))),
    ndcgAt10: mean(answers.map(({ results, judged }) => ndcg(results.slice(0, 10), judged))),
  }
}

function ndcg(results: JudgedAnswer['results'], judged: number): number {
  const gains = Array.from({ length: 10 }, (_, rank) => 1 / Math.log2(rank + 2))
  const sum = (of: readonly number[]) => of.reduce((total, gain) => total + gain, 0)
  return sum(gains.filter((_, rank) => results[rank]?.isNew)) / sum(gains.slice(0, Math.max(1, judged)))
}

/** Returns the probability that an on-topic question's best score is above an off-topic one's. Ties count half. */
function auc(on: readonly { readonly top: number }[], off: readonly { readonly top: number }[]): number {
  return mean(on.flatMap((one) => off.map((other) => (Math.sign(one.top - other.top) + 1) / 2)))
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
