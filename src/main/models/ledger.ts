/** What requests used and cost, by month and model: one line of a file each. Reached limits stop further requests. */
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { MonthlyUsage, Spending } from '../../shared/contract/index.ts'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { addUsage, noUsage, usageSchema, type Usage } from '../../shared/messages.ts'
import { z } from 'zod'
import { parseJson } from '../../shared/json.ts'

const lineSchema = z.object({ at: z.number(), agent: z.string(), model: z.string(), usage: usageSchema })

export interface LedgerOptions {
  readonly file: string
  readonly now: () => Date
  readonly spending: () => { readonly monthlyLimit: number | null; readonly warnAt: number }
  readonly onChange: () => void
}

type Sums = Map<string, MonthlyUsage>

export class Ledger {
  readonly #options: LedgerOptions
  #sums: Promise<Sums> | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: LedgerOptions) {
    this.#options = options
  }

  /** Adds a request. Money that was spent is counted even where the disk does not take it. */
  async add(agent: string, model: string, usage: Usage): Promise<void> {
    const { file, now, onChange } = this.#options
    const line = { at: now().getTime(), agent, model, usage }
    count(await this.#load(), line)
    onChange()
    const written = this.#writing.then(async () => {
      await mkdir(dirname(file), { recursive: true })
      await appendFile(file, `${JSON.stringify(line)}\n`)
    })
    this.#writing = written.catch(() => undefined)
    await this.#writing
  }

  /** Newest month first, then by cost. */
  async months(): Promise<MonthlyUsage[]> {
    return [...(await this.#load()).values()].sort(
      (one, other) =>
        other.month.localeCompare(one.month) ||
        (other.usage.cost?.total ?? 0) - (one.usage.cost?.total ?? 0) ||
        other.usage.totalTokens - one.usage.totalTokens,
    )
  }

  async spending(): Promise<Spending> {
    const { monthlyLimit, warnAt } = this.#options.spending()
    const month = monthOf(this.#options.now().getTime())
    let spent = 0
    for (const sum of (await this.#load()).values()) if (sum.month === month) spent += sum.usage.cost?.total ?? 0
    return { spent, limit: monthlyLimit, warns: monthlyLimit !== null && spent >= monthlyLimit * warnAt }
  }

  /** @throws AppError `spending_limit` */
  async assertMaySpend(): Promise<void> {
    const { spent, limit } = await this.spending()
    if (limit === null || spent < limit) return
    throw new AppError('spending_limit', `this month's limit of $${limit} is reached`, {
      limit,
      spent: Math.round(spent * 100) / 100,
    })
  }

  async close(): Promise<void> {
    await this.#writing
  }

  async #load(): Promise<Sums> {
    this.#sums ??= readSums(this.#options.file)
    return this.#sums
  }
}

async function readSums(file: string): Promise<Sums> {
  const sums: Sums = new Map()
  try {
    for (const text of (await readFile(file, 'utf8')).split('\n')) {
      const line = lineSchema.safeParse(parseJson(text))
      if (line.success) count(sums, line.data)
    }
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error
  }
  return sums
}

function count(sums: Sums, { at, model, usage }: z.infer<typeof lineSchema>): void {
  const month = monthOf(at)
  const key = `${month} ${model}`
  const sum = sums.get(key) ?? { month, model, requests: 0, usage: noUsage }
  sums.set(key, { ...sum, requests: sum.requests + 1, usage: addUsage(sum.usage, usage) })
}

function monthOf(at: number): string {
  const date = new Date(at)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
}
