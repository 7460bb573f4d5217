import { EventEmitter, type Subscribable } from '../events.ts'
import type { AppPart, Problem } from '#shared/contract/index.ts'
import type { Clock } from '../clock.ts'

/** Report of a problem; `since` (ms since the epoch) is set only if the problem began before the report. */
export type ProblemReport = Omit<Problem, 'since' | 'level'> & {
  readonly level?: Problem['level']
  readonly since?: number | undefined
}

const severityOrder = { bad: 0, warning: 1, note: 2 } as const

export class Health {
  readonly #changes = new EventEmitter()
  /** Emitted when the problems change; changes within one microtask are coalesced. */
  readonly changes: Subscribable<void> = this.#changes
  readonly #now: Clock
  readonly #problems = new Map<string, Problem>()
  #isNotificationScheduled = false

  constructor(now: Clock) {
    this.#now = now
  }

  /** Adds or updates a problem, by default as a warning. An existing problem keeps its `since`. */
  report({ level = 'warning', since, ...report }: ProblemReport): void {
    const key = keyOf(report)
    const existing = this.#problems.get(key)
    const problem = { ...report, level, since: since ?? existing?.since ?? this.#now().getTime() }
    if (existing && JSON.stringify(existing) === JSON.stringify(problem)) return
    this.#problems.set(key, problem)
    this.#notify()
  }

  /** Removes the problems of a part, only those with `code` if given. Without `agent`, removes problems of the app. */
  clear(part: AppPart, code?: string, agent?: string): void {
    this.#delete(
      (problem) => problem.part === part && problem.agent === agent && problem.code === (code ?? problem.code),
    )
  }

  /** Replaces all problems of some parts of an agent (or of the app); problems not in `reports` are cleared. */
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
