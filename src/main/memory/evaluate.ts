/**
 * Measures recall on judged questions. A result is right when it is of the same file and its lines overlap the lines
 * that a judge named; metrics are the standard ones (recall@k, MRR, nDCG@10 with binary gains).
 */
import { readFile } from 'node:fs/promises'
import type { SearchResponse } from '../../shared/contract/index.ts'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { isHit, parseQuestions, type JudgedQuestion } from './judged.ts'

export interface EvaluationReport {
  readonly n: number
  readonly recallAt1: number
  readonly recallAt5: number
  readonly recallAt10: number
  readonly mrr: number
  readonly ndcgAt10: number
  /** Share of questions with a result at the configured minScore. */
  readonly answered: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly offTopic?: { readonly n: number; readonly auc: number; readonly answered: number }
}

/** A search without a threshold, and the threshold that the settings would apply. */
export interface Evaluated {
  readonly search: (query: string) => Promise<SearchResponse>
  readonly minScore: number
}

/** @throws AppError `input_invalid` naming the line, `file_not_found` */
export async function readQuestions(file: string): Promise<JudgedQuestion[]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EISDIR', 'EACCES'))
      throw new AppError('file_not_found', `${file} cannot be read`, { path: file })
    throw error
  }
  return parseQuestions(text, file)
}

export async function evaluate(
  { search, minScore }: Evaluated,
  questions: readonly JudgedQuestion[],
  offTopic: readonly JudgedQuestion[] | undefined,
  onProgress: (done: number, total: number) => void,
): Promise<EvaluationReport> {
  const total = questions.length + (offTopic?.length ?? 0)
  const rows: { hits: boolean[]; judged: number; top: number; ms: number }[] = []
  for (const question of questions) {
    const { results, timings } = await search(question.query)
    const hits = results.map((result) => question.relevant.some((lines) => isHit(result, lines)))
    rows.push({ hits, judged: question.relevant.length, top: results[0]?.score ?? 0, ms: timings.totalMs })
    onProgress(rows.length, total)
  }
  const offTops: number[] = []
  for (const question of offTopic ?? []) {
    offTops.push((await search(question.query)).results[0]?.score ?? 0)
    onProgress(rows.length + offTops.length, total)
  }
  const tops = rows.map((row) => row.top)
  const times = rows.map((row) => row.ms).sort((one, other) => one - other)
  return {
    n: rows.length,
    recallAt1: mean(rows.map(({ hits }) => hitWithin(hits, 1))),
    recallAt5: mean(rows.map(({ hits }) => hitWithin(hits, 5))),
    recallAt10: mean(rows.map(({ hits }) => hitWithin(hits, 10))),
    mrr: mean(rows.map(({ hits }) => (hits.includes(true) ? 1 / (hits.indexOf(true) + 1) : 0))),
    ndcgAt10: mean(rows.map(({ hits, judged }) => ndcg(hits.slice(0, 10), judged))),
    answered: mean(tops.map((top) => Number(top > 0 && top >= minScore))),
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    ...(offTopic
      ? {
          offTopic: {
            n: offTops.length,
            auc: auc(tops, offTops),
            answered: mean(offTops.map((top) => Number(top > 0 && top >= minScore))),
          },
        }
      : {}),
  }
}

function hitWithin(hits: readonly boolean[], depth: number): number {
  return Number(hits.slice(0, depth).includes(true))
}

function ndcg(hits: readonly boolean[], judged: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const ideal = Array.from({ length: Math.min(10, Math.max(1, judged)) }, (_, rank) => gain(rank)).reduce(
    (sum, value) => sum + value,
    0,
  )
  return Math.min(1, hits.reduce((sum, hit, rank) => sum + (hit ? gain(rank) : 0), 0) / ideal)
}

/** The chance that an on-topic question's best score is above an off-topic one's (ties count half). */
function auc(on: readonly number[], off: readonly number[]): number {
  if (on.length === 0 || off.length === 0) return 0
  let wins = 0
  for (const one of on) for (const other of off) wins += one > other ? 1 : one === other ? 0.5 : 0
  return wins / (on.length * off.length)
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
