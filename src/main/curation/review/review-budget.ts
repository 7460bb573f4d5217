import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { appendDurably, makeFolder, readIfThere } from '#platform'

const rowSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  model: z.string(),
  tokens: z.number().int(),
  /** US dollars; null where nobody knows. */
  usd: z.number().nullable(),
  /** What it came to; before, what it may come to. */
  isSettled: z.boolean(),
})
export type SpentRow = z.infer<typeof rowSchema>

export interface Spent {
  readonly tokens: number
  readonly usd: number
}

/** What a month may come to; null for no limit. */
export interface Budget {
  readonly usd: number | null
  /** Holds where the price of the model is unknown. */
  readonly tokens: number | null
}

/** In the month of a moment. */
export async function spentIn(folder: string, at: Date): Promise<Spent> {
  const rows = new Map<string, SpentRow>()
  for (const line of ((await readIfThere(join(folder, 'spent.jsonl'))) ?? '').split('\n')) {
    const row = rowSchema.safeParse(parseJson(line)).data
    if (row && isSameMonth(new Date(row.at), at)) rows.set(row.id, row)
  }
  let [tokens, usd] = [0, 0]
  for (const row of rows.values()) {
    tokens += row.tokens
    usd += row.usd ?? 0
  }
  return { tokens, usd }
}

/** @throws AppError `disk_full`, `write_failed` */
export async function addSpent(folder: string, row: SpentRow): Promise<void> {
  await makeFolder(folder)
  await appendDurably(join(folder, 'spent.jsonl'), `${JSON.stringify(row)}\n`)
}

/** True where a request more would be past the budget. */
export function isBeyond(spent: Spent, next: { tokens: number; usd: number | null }, budget: Budget): boolean {
  if (next.usd === null) return budget.tokens !== null && spent.tokens + next.tokens > budget.tokens
  return budget.usd !== null && spent.usd + next.usd > budget.usd
}

function isSameMonth(one: Date, other: Date): boolean {
  return one.getFullYear() === other.getFullYear() && one.getMonth() === other.getMonth()
}
