import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { MonthlyUsage, Spending } from '#shared/contract/index.ts'
import {
  type Clock,
  EventEmitter,
  type Subscribable,
  appendDurably,
  Mutex,
  makeFolder,
  readIfExists,
  type SettingsStore,
} from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { usageSchema } from '#shared/chat/message-schemas.ts'
import { addUsage, noUsage, type Usage } from '#shared/chat/messages.ts'
import { z } from 'zod'
import { parseJson } from '#shared/util/json.ts'

const entrySchema = z.object({ at: z.number(), agent: z.string(), model: z.string(), usage: usageSchema })

interface UsageStoreOptions {
  readonly file: string
  readonly now: Clock
  readonly settings: Pick<SettingsStore, 'config'>
  /** Receives read and write errors of the file; usage is then counted in memory. */
  readonly onProblem: (problem: unknown) => void
}

type Entry = z.infer<typeof entrySchema>
type Sums = Map<string, MonthlyUsage>

/** Share of the limit from which on the user is warned. */
const warningShare = 0.8

export class UsageStore {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #options: UsageStoreOptions
  #cache: { readonly stamp: string; readonly sums: Sums } | undefined
  /** Entries not yet on disk; each write includes them. */
  #unwritten: Entry[] = []
  #hasReportedUnreadable = false

  constructor(options: UsageStoreOptions) {
    this.#options = options
  }

  async add(agent: string, model: string, usage: Usage): Promise<void> {
    const { now } = this.#options
    this.#unwritten.push({ at: now().getTime(), agent, model, usage })
    await this.#write()
    this.#changes.emit()
  }

  /** Returns usage by local month and model: newest month first, then by cost, highest first. */
  async months(): Promise<MonthlyUsage[]> {
    return [...(await this.#load()).values()].sort(
      (one, other) =>
        other.month.localeCompare(one.month) ||
        (other.usage.cost?.total ?? 0) - (one.usage.cost?.total ?? 0) ||
        other.usage.totalTokens - one.usage.totalTokens,
    )
  }

  /** Returns this month's cost and the limit in US dollars; `limit` is null if none is set. */
  async spending(): Promise<Spending> {
    const { monthlyLimit } = this.#options.settings.config.spending
    const month = monthOf(this.#options.now().getTime())
    let spent = 0
    for (const sum of (await this.#load()).values()) if (sum.month === month) spent += sum.usage.cost?.total ?? 0
    return { spent, limit: monthlyLimit, isNearLimit: monthlyLimit !== null && spent >= monthlyLimit * warningShare }
  }

  /** @throws AppError `spending_limit` if this month's limit is reached */
  async assertWithinLimit(): Promise<void> {
    const { spent, limit } = await this.spending()
    if (limit === null || spent < limit) return
    throw new AppError('spending_limit', `this month's limit of $${limit} is reached`, {
      limit,
      spent: Math.round(spent * 100) / 100,
    })
  }

  async close(): Promise<void> {
    if (this.#unwritten.length > 0) await this.#write()
  }

  async #write(): Promise<void> {
    const { file, onProblem } = this.#options
    try {
      await Mutex.runOnce(file, async () => {
        const entries = [...this.#unwritten]
        if (entries.length === 0) return
        await makeFolder(dirname(file))
        await appendDurably(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
        this.#unwritten = this.#unwritten.slice(entries.length)
      })
    } catch (error) {
      onProblem(error)
    }
  }

  /** Reads the file again if it has changed, for example through another process. */
  async #load(): Promise<Sums> {
    const { file } = this.#options
    const info = await stat(file).catch(() => undefined)
    const stamp = info ? `${info.ino} ${info.size} ${info.mtimeMs}` : ''
    if (this.#cache?.stamp !== stamp) this.#cache = { stamp, sums: await this.#readSums() }
    const sums: Sums = new Map(this.#cache.sums)
    for (const entry of this.#unwritten) addToSums(sums, entry)
    return sums
  }

  async #readSums(): Promise<Sums> {
    const { file, onProblem } = this.#options
    const sums: Sums = new Map()
    try {
      for (const line of ((await readIfExists(file)) ?? '').split('\n')) {
        const entry = entrySchema.safeParse(parseJson(line))
        if (entry.success) addToSums(sums, entry.data)
        else if (line.trim() !== '' && !this.#hasReportedUnreadable) {
          this.#hasReportedUnreadable = true
          onProblem(`${file} has unreadable lines; they are skipped`)
        }
      }
    } catch (error) {
      onProblem(error)
    }
    return sums
  }
}

function addToSums(sums: Sums, { at, model, usage }: Entry): void {
  const month = monthOf(at)
  const key = `${month} ${model}`
  const sum = sums.get(key) ?? { month, model, requests: 0, usage: noUsage }
  sums.set(key, { ...sum, requests: sum.requests + 1, usage: addUsage(sum.usage, usage) })
}

function monthOf(at: number): string {
  const date = new Date(at)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
}
