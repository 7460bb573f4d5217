import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { appendDurably, readIfExists } from '#platform'

const rowSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  model: z.string(),
  tokens: z.number().int(),
  /** US dollars; null if the price is unknown. */
  usd: z.number().nullable(),
  /** False: estimate before the request; true: actual cost. */
  isSettled: z.boolean(),
})
export type SpendingRow = z.infer<typeof rowSchema>

export interface ReviewSpending {
  readonly tokens: number
  readonly usd: number
}

/** Limits of a month; null for no limit. */
export interface Budget {
  readonly usd: number | null
  /** Applies if the price of the model is unknown. */
  readonly tokens: number | null
}

/** Sums the costs in the calendar month of `date`, local time. Estimates count where an actual cost is missing. */
export async function spentInMonth(folder: string, date: Date): Promise<ReviewSpending> {
  const rows = new Map<string, SpendingRow>()
  for (const line of ((await readIfExists(join(folder, 'spent.jsonl'))) ?? '').split('\n')) {
    const row = rowSchema.safeParse(parseJson(line)).data
    if (row && monthOf(new Date(row.at)) === monthOf(date)) rows.set(row.id, row)
  }
  const sum = (name: 'tokens' | 'usd') => rows.values().reduce((total, row) => total + (row[name] ?? 0), 0)
  return { tokens: sum('tokens'), usd: sum('usd') }
}

/** @throws AppError `disk_full`, `write_failed` */
export async function recordSpending(folder: string, row: SpendingRow): Promise<void> {
  await appendDurably(join(folder, 'spent.jsonl'), `${JSON.stringify(row)}\n`)
}

/** Returns true if one more request would exceed the budget. */
export function exceedsBudget(
  spent: ReviewSpending,
  next: { tokens: number; usd: number | null },
  budget: Budget,
): boolean {
  if (next.usd === null) return budget.tokens !== null && spent.tokens + next.tokens > budget.tokens
  return budget.usd !== null && spent.usd + next.usd > budget.usd
}

const monthOf = (date: Date) => date.getFullYear() * 12 + date.getMonth()
