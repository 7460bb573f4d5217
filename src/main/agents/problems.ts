/** What does not work as it should, by who found it: in the log when it comes, and there to be shown while it lasts. */
import type { Log } from '../log.ts'

export interface Problem {
  readonly code: string
  readonly message: string
}

export class Problems {
  readonly #found = new Map<string, readonly Problem[]>()
  readonly #log: Log
  readonly #onChange: () => void

  constructor(log: Log, onChange: () => void) {
    this.#log = log
    this.#onChange = onChange
  }

  get list(): Problem[] {
    return [...this.#found.values()].flat()
  }

  /** @param problems all that this source has now */
  set(source: string, problems: readonly Problem[]): void {
    const before = this.#found.get(source) ?? []
    const isKnown = ({ code, message }: Problem) =>
      before.some((problem) => problem.code === code && problem.message === message)
    for (const problem of problems)
      if (!isKnown(problem)) this.#log.warn({ code: problem.code, problem: problem.message }, source)
    this.#found.set(source, problems)
    this.#onChange()
  }

  add(source: string, problem: Problem): void {
    this.set(source, [...(this.#found.get(source) ?? []), problem])
  }
}
