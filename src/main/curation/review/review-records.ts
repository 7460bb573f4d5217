/**
 * What models said of a memory's lines, in one plain file, `judged.jsonl`: a line for each unit that was judged, on the
 * disk before anything is made of it, and one more when its proposal is in the inbox. So what was asked and answered is
 * not asked again, whatever breaks off.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'
import { appendDurably, makeFolder, readIfThere } from '#platform'
import { verdictSchema, type Verdict } from './review-answer.ts'

const shareSchema = z.object({ usd: z.number().nullable(), tokens: z.number().int() })
const recordSchema = z.union([
  z.object({
    key: z.string(),
    model: z.string(),
    at: z.number(),
    verdict: verdictSchema.nullable(),
    /** What the verdict cost, and the request that it came of. */
    cost: shareSchema.optional(),
    request: z.number().int().optional(),
  }),
  /** The model gave no answer that could be read: another one is asked, this one is not. */
  z.object({ key: z.string(), model: z.string(), unread: z.literal(true) }),
  z.object({ key: z.string(), proposed: z.literal(true) }),
])
type JudgedRecord = z.infer<typeof recordSchema>
export type Judged = Extract<JudgedRecord, { verdict: unknown }>

export class Records {
  readonly #folder: string
  readonly #judged = new Map<string, Judged>()
  readonly #unread = new Set<string>()
  readonly #proposed = new Set<string>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async read(folder: string): Promise<Records> {
    const records = new Records(folder)
    for (const row of ((await readIfThere(records.#file)) ?? '').split('\n')) {
      // A line that a crash tore is as if it were not there: its unit is asked again.
      const record = recordSchema.safeParse(parseJson(row)).data
      if (record) records.#take(record)
    }
    return records
  }

  isJudged(key: string, model: string): boolean {
    return this.#judged.has(key) || this.#unread.has(`${key} ${model}`)
  }

  /** Those whose proposals are not in the inbox yet. */
  waiting(): (Judged & { readonly verdict: Verdict })[] {
    return [...this.#judged.values()].flatMap((record) =>
      record.verdict && !this.#proposed.has(record.key) ? [{ ...record, verdict: record.verdict }] : [],
    )
  }

  /** @throws AppError `disk_full`, `write_failed` */
  async add(records: readonly JudgedRecord[]): Promise<void> {
    if (records.length === 0) return
    await makeFolder(this.#folder)
    await appendDurably(this.#file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    for (const record of records) this.#take(record)
  }

  get #file(): string {
    return join(this.#folder, 'judged.jsonl')
  }

  #take(record: JudgedRecord): void {
    if ('proposed' in record) this.#proposed.add(record.key)
    else if ('unread' in record) this.#unread.add(`${record.key} ${record.model}`)
    else this.#judged.set(record.key, record)
  }
}
