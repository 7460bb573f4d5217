/**
 * Verdicts of models in `judged.jsonl`. Each judged unit has one line, written before its proposal is added, and a
 * second one as soon as the proposal is in the inbox, so that an interrupted review does not pay for an answer twice.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { appendDurably, readIfExists } from '#platform'
import { verdictSchema, type Verdict } from './review-answer.ts'

const costSchema = z.object({ usd: z.number().nullable(), tokens: z.number().int() })
const recordSchema = z.union([
  z.object({
    key: z.string(),
    model: z.string(),
    at: z.number(),
    verdict: verdictSchema.nullable(),
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
  pending(): (VerdictRecord & { readonly verdict: Verdict })[] {
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
