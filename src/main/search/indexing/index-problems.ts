import type { SyncProblem } from './indexed-folder.ts'
import type { SyncReport } from './sync.ts'

export class IndexProblems {
  readonly #onChange: () => void
  #standing: SyncProblem[] = []
  readonly #ofFiles = new Map<string, SyncProblem>()

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get all(): SyncProblem[] {
    return [...this.#standing, ...this.#ofFiles.values()]
  }

  /** Adds a problem that remains until `clear`. Does nothing if there is one with this code. */
  raise(code: string, message: string): void {
    if (this.#standing.some((problem) => problem.code === code)) return
    this.#standing.push({ code, message })
    this.#onChange()
  }

  clear(code: string): void {
    const before = this.#standing.length
    this.#standing = this.#standing.filter((problem) => problem.code !== code)
    if (this.#standing.length < before) this.#onChange()
  }

  /** Replaces the problems of the synced files. @param paths the synced paths; undefined for all */
  recordSync({ problems }: SyncReport, paths: readonly string[] | undefined): void {
    if (paths) for (const path of paths) this.#ofFiles.delete(path)
    else this.#ofFiles.clear()
    for (const problem of problems) this.#ofFiles.set(problem.path ?? problem.code, problem)
  }
}
