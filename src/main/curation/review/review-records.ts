/**
 * Files of reviews: `spent.jsonl` has the cost of each request, `judged.jsonl` the verdicts of models. Each judged unit has one line, written before its proposal is added, and a
 * second one as soon as the proposal is in the inbox, so that an interrupted review does not pay for an answer twice.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { ReviewEstimate } from '#shared/contract/index.ts'
import { parseJson } from '#shared/util/json.ts'
import { appendDurably, readIfExists } from '#platform'
import { reviewVerdictSchema, type ReviewVerdict } from './review-answer.ts'

const costSchema = z.object({ usd: z.number().nullable(), tokens: z.number().int() })
const recordSchema = z.union([
  z.object({
    key: z.string(),
    model: z.string(),
    at: z.number(),
    verdict: reviewVerdictSchema.nullable(),
    /** The unit's share of the cost of its request, and the 1-based number of the request. */
    cost: costSchema.optional(),
    request: z.number().int().optional(),
  }),
  /** The model's answer was unreadable: other models may still judge this unit. */
  z.object({ key: z.string(), model: z.string(), unread: z.literal(true) }),
  z.object({ key: z.string(), proposed: z.literal(true) }),
])
type JudgedRecord = z.infer<typeof recordSchema>
export type VerdictRecord = Extract<JudgedRecord, { verdict: unknown }>

export class ReviewRecords {
  readonly #folder: string
  readonly #judged = new Map<string, VerdictRecord>()
  readonly #unreadable = new Set<string>()
  readonly #proposed = new Set<string>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async read(folder: string): Promise<ReviewRecords> {
    const records = new ReviewRecords(folder)
    for (const row of ((await readIfExists(records.#file)) ?? '').split('\n')) {
      // A line cut off by a crash is ignored; the next review asks about its unit again.
      const record = recordSchema.safeParse(parseJson(row)).data
      if (record) records.#apply(record)
    }
    return records
  }

  /** Returns true if any model judged the unit, or if the answer of `model` was unreadable. */
  isJudged(key: string, model: string): boolean {
    return this.#judged.has(key) || this.#unreadable.has(`${key} ${model}`)
  }

  /** Returns verdicts whose proposals are not in the inbox yet. */
  pending(): (VerdictRecord & { readonly verdict: ReviewVerdict })[] {
    return [...this.#judged.values()].flatMap((record) =>
      record.verdict && !this.#proposed.has(record.key) ? [{ ...record, verdict: record.verdict }] : [],
    )
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async add(records: readonly JudgedRecord[]): Promise<void> {
    if (records.length === 0) return
    await appendDurably(this.#file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    for (const record of records) this.#apply(record)
  }

  get #file(): string {
    return join(this.#folder, 'judged.jsonl')
  }

  #apply(record: JudgedRecord): void {
    if ('proposed' in record) this.#proposed.add(record.key)
    else if ('unread' in record) this.#unreadable.add(`${record.key} ${record.model}`)
    else this.#judged.set(record.key, record)
  }
}

/** A request: its estimate, and after the answer a second row with the same id and the actual cost. */
const spendingSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  tokens: z.number().int(),
  /** US dollars; null if the price is unknown. */
  usd: z.number().nullable(),
})
type Spending = z.infer<typeof spendingSchema>

/** Sums the costs in the calendar month of `date`, local time. Estimates count where an actual cost is missing. */
export async function spentInMonth(folder: string, date: Date): Promise<ReviewEstimate['spent']> {
  const monthOf = (day: Date) => day.getFullYear() * 12 + day.getMonth()
  const rows = new Map<string, Spending>()
  for (const line of ((await readIfExists(join(folder, 'spent.jsonl'))) ?? '').split('\n')) {
    const row = spendingSchema.safeParse(parseJson(line)).data
    if (row && monthOf(new Date(row.at)) === monthOf(date)) rows.set(row.id, row)
  }
  const sum = (name: 'tokens' | 'usd') => rows.values().reduce((total, row) => total + (row[name] ?? 0), 0)
  return { tokens: sum('tokens'), usd: sum('usd') }
}

/** @throws AppError `disk_full`, `write_failed` */
export async function recordSpending(folder: string, row: Spending): Promise<void> {
  await appendDurably(join(folder, 'spent.jsonl'), `${JSON.stringify(row)}\n`)
}

/** Returns true if one more request would exceed the budget. */
export function exceedsBudget(
  spent: ReviewEstimate['spent'],
  next: Pick<Spending, 'tokens' | 'usd'>,
  budget: ReviewEstimate['budget'],
): boolean {
  if (next.usd === null) return budget.tokens !== null && spent.tokens + next.tokens > budget.tokens
  return budget.usd !== null && spent.usd + next.usd > budget.usd
}
