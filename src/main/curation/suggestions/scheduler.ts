import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { nextRun, parseSchedule } from '#shared/util/schedule.ts'
import { type Clock, parseStored, readIfExists, writeDurably } from '#platform'

interface SchedulerOptions {
  readonly folder: string
  readonly now: Clock
  readonly schedule: () => string
  /** Returns the milliseconds since the last use of the app. */
  readonly idleFor: () => number
  readonly run: () => Promise<void>
  readonly onFault: (error: unknown) => void
  /** Load average per processor. */
  readonly load?: () => number
}

const stateSchema = z.object({ version: z.literal(1), at: z.number(), schedule: z.string() })

const checkEveryMs = 60_000
const minIdleMs = 5 * 60_000
const maxLoad = 0.6

/** Runs a task by schedule while the user is idle. Missed runs are replaced by a single run. */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #file: string
  #timer: NodeJS.Timeout | undefined
  #isSavingPower = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#file = join(options.folder, 'schedule.json')
  }

  start(): void {
    this.#timer = setInterval(() => void this.runIfDue().catch(this.#options.onFault), checkEveryMs)
    this.#timer.unref()
  }

  /** Returns the time of the next run, ms since the epoch; null without a schedule. */
  async next(): Promise<number | null> {
    const { schedule, now } = this.#options
    const parsed = parseSchedule(schedule())
    if (!parsed) return null
    const lastRun = await this.#lastRun()
    return nextRun(parsed, lastRun ?? now())?.getTime() ?? null
  }

  /** Runs if a run is due, the app is idle and the machine has little load. @returns true if it ran @throws as `run` */
  async runIfDue(): Promise<boolean> {
    const { schedule, now, idleFor, run, load = () => (loadavg()[0] ?? 0) / cpus().length } = this.#options
    const scheduleText = schedule()
    const parsed = parseSchedule(scheduleText)
    if (!parsed || this.#isSavingPower) return false
    const lastRun = await this.#lastRun()
    // A new schedule counts from now; it has no missed runs.
    if (!lastRun) return this.#saveRun(scheduleText).then(() => false)
    const next = nextRun(parsed, lastRun)
    if (!next || next > now() || idleFor() < minIdleMs || load() > maxLoad) return false
    // Saved before the run, so that a run that crashes the app does not repeat at each start.
    await this.#saveRun(scheduleText)
    await run()
    return true
  }

  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #lastRun(): Promise<Date | undefined> {
    const state = parseStored(stateSchema, (await readIfExists(this.#file)) ?? '')
    return state?.schedule === this.#options.schedule() ? new Date(state.at) : undefined
  }

  async #saveRun(schedule: string): Promise<void> {
    const at = this.#options.now().getTime()
    await writeDurably(this.#file, JSON.stringify({ version: 1, at, schedule }))
  }
}
