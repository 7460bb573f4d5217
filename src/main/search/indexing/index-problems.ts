import type { SyncProblem } from './indexed-folder.ts'
import type { SyncReport } from './sync.ts'

export class IndexProblems {
  readonly #onChange: () => void
  #persistent: SyncProblem[] = []
  readonly #byPath = new Map<string, SyncProblem>()

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get all(): SyncProblem[] {
    return [...this.#persistent, ...this.#byPath.values()]
  }

  /** Adds a problem that remains until `clear`. Does nothing if there is one with this code. */
  raise(code: string, message: string): void {
    if (this.#persistent.some((problem) => problem.code === code)) return
    this.#persistent.push({ code, message })
    this.#onChange()
  }

  clear(code: string): void {
    const before = this.#persistent.length
    this.#persistent = this.#persistent.filter((problem) => problem.code !== code)
    if (this.#persistent.length < before) this.#onChange()
  }

  /** Replaces the problems of the synced files. @param paths the synced paths; undefined for all */
  recordSync({ problems }: SyncReport, paths: readonly string[] | undefined): void {
    if (paths) for (const path of paths) this.#byPath.delete(path)
    else this.#byPath.clear()
    for (const problem of problems) this.#byPath.set(problem.path ?? problem.code, problem)
  }
}
