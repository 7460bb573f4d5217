import { statfs } from 'node:fs/promises'
import { isSystemError } from '#shared/util/errors.ts'
import { EventEmitter, type Clock, type Log, type Subscribable } from '#platform'
import type { AppPart, IndexStatus, Problem, Remedy } from '#shared/contract/index.ts'

/** `since` (ms since the epoch) is set only if the problem began before the report. */
export type ProblemReport = Omit<Problem, 'since' | 'level'> & {
  readonly level?: Problem['level']
  readonly since?: number | undefined
}

const severityOrder = { bad: 0, warning: 1, note: 2 } as const

export class Health {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #now: Clock
  readonly #problems = new Map<string, Problem>()
  #isNotificationScheduled = false

  constructor(now: Clock) {
    this.#now = now
  }

  /** Reports a problem, by default as a warning. An existing problem keeps its `since`. */
  report({ level = 'warning', since, ...report }: ProblemReport): void {
    const key = keyOf(report)
    const existing = this.#problems.get(key)
    const problem = { ...report, level, since: since ?? existing?.since ?? this.#now().getTime() }
    if (existing && JSON.stringify(existing) === JSON.stringify(problem)) return
    this.#problems.set(key, problem)
    this.#notify()
  }

  /** Removes problems: without `code`, all of a part; without `agent`, those of the app. */
  clear(part: AppPart, code?: string, agent?: string): void {
    this.#delete(
      (problem) => problem.part === part && problem.agent === agent && problem.code === (code ?? problem.code),
    )
  }

  /** Clears the problems of some parts that are not in `reports`, of an agent or of the app. */
  replace(parts: readonly AppPart[], reports: readonly ProblemReport[], agent?: string): void {
    const reportedKeys = new Set(reports.map(keyOf))
    this.#delete((problem, key) => parts.includes(problem.part) && problem.agent === agent && !reportedKeys.has(key))
    for (const report of reports) this.report(report)
  }

  /** Returns the problems of an agent and of the app, most severe first, then oldest first. */
  problems(agent?: string): Problem[] {
    return [...this.#problems.values()]
      .filter((problem) => problem.agent === undefined || problem.agent === agent)
      .sort((one, other) => severityOrder[one.level] - severityOrder[other.level] || one.since - other.since)
  }

  #delete(isMatch: (problem: Problem, key: string) => boolean): void {
    for (const [key, problem] of this.#problems) {
      if (!isMatch(problem, key)) continue
      this.#problems.delete(key)
      this.#notify()
    }
  }

  #notify(): void {
    if (this.#isNotificationScheduled) return
    this.#isNotificationScheduled = true
    queueMicrotask(() => {
      this.#isNotificationScheduled = false
      this.#changes.emit()
    })
  }
}

function keyOf({ part, code, agent = '', path = '' }: Pick<ProblemReport, 'part' | 'code' | 'agent' | 'path'>): string {
  return JSON.stringify([part, code, agent, path])
}

const maxFaultAgeMs = 60 * 60_000

/** Returns a log that also reports the faults of the last hour as a health problem. */
export function withFaultReports(log: Log, health: Health, now: Clock): Log {
  let times: number[] = []
  let timer: NodeJS.Timeout | undefined
  const dropOldFaults = () => {
    times = times.filter((time) => now().getTime() - time < maxFaultAgeMs)
    clearTimeout(timer)
    const [oldest] = times
    if (oldest === undefined) return health.clear('app', 'faults')
    timer = setTimeout(dropOldFaults, maxFaultAgeMs - (now().getTime() - oldest))
    timer.unref()
  }
  return {
    ...log,
    fault(error, message) {
      const reference = log.fault(error, message)
      times.push(now().getTime())
      dropOldFaults()
      const details = error instanceof Error ? error.message : String(error)
      health.report({
        part: 'app',
        code: 'faults',
        level: 'note',
        message: `${times.length} in the last hour; the newest is ${reference}: ${message}: ${details}`.slice(0, 400),
        remedy: { kind: 'settings', section: 'log' },
      })
      return reference
    },
  }
}

const parts = ['embeddings', 'watcher', 'index', 'files'] as const satisfies readonly AppPart[]

type ReportTemplate = Pick<ProblemReport, 'part' | 'level' | 'remedy'>

const modelSettings: Remedy = { kind: 'settings', section: 'models' }

const templates: Readonly<Record<string, ReportTemplate>> = {
  watch_limit: { part: 'watcher' },
  watch_failed: { part: 'watcher', remedy: { kind: 'reindex' } },
  index_failed: { part: 'index', level: 'bad', remedy: { kind: 'reindex' } },
  index_damaged: { part: 'index', level: 'note' },
  no_key: { part: 'embeddings', remedy: modelSettings },
  no_base_url: { part: 'embeddings', remedy: { kind: 'settings', section: 'all' } },
  provider_auth: { part: 'embeddings', remedy: modelSettings },
  texts_refused: { part: 'embeddings', level: 'note' },
  hard_link: { part: 'files', level: 'note' },
  passages_local: { part: 'embeddings', level: 'note' },
}

export function reportIndex(health: Health, agent: string, { problems, state }: IndexStatus): void {
  const reports = problems.map(({ code, message, path, since }): ProblemReport => ({
    code,
    message,
    ...(templates[code] ?? defaultTemplate(code, path)),
    agent,
    since,
    ...(path === undefined ? {} : { path }),
  }))
  const rebuilding: ProblemReport = { part: 'index', code: 'rebuilding', level: 'note', message: '', agent }
  health.replace(parts, state === 'rebuilding' ? [...reports, rebuilding] : reports, agent)
}

function defaultTemplate(code: string, path: string | undefined): ReportTemplate {
  if (code.startsWith('provider_')) return { part: 'embeddings', remedy: { kind: 'tryAgain' } }
  const isFile = path !== undefined && !path.startsWith('/') && /\.(md|markdown)$/i.test(path)
  return { part: 'files', ...(isFile ? { remedy: { kind: 'file', path } } : {}) }
}

const lowBytes = 100_000_000
const intervalMs = 10_000

/** Reports disks with less than 100 MB free. @returns a function that stops it */
export function monitorDiskSpace(
  health: Health,
  folders: () => Promise<readonly string[]>,
  onFault: (error: unknown) => void,
): () => void {
  const check = async () => {
    const reports = await Promise.all((await folders()).map(checkFolder))
    const problems = reports.filter((report) => report !== undefined)
    health.replace(['disk'], problems)
  }
  const timer = setInterval(() => void check().catch(onFault), intervalMs).unref()
  check().catch(onFault)
  return () => clearInterval(timer)
}

async function checkFolder(path: string): Promise<ProblemReport | undefined> {
  const problem = { part: 'disk', path, remedy: { kind: 'settings', section: 'data' } } as const
  try {
    const { bavail, bsize } = await statfs(path)
    const free = bavail * bsize
    const message = `${(free / 1e6).toFixed(1)} MB free in ${path}`
    if (free >= lowBytes) return undefined
    return free < 1_000_000 ? { ...problem, code: 'full', level: 'bad', message } : { ...problem, code: 'low', message }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES'))
      return { ...problem, code: 'folder_missing', level: 'bad', message: error.message }
    // Some file systems do not report sizes.
    if (isSystemError(error)) return undefined
    throw error
  }
}
