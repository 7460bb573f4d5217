import type { SyncProblem } from './indexed-folder.ts'
import type { SyncReport } from './sync.ts'

export class IndexProblems {
  readonly #onChange: () => void
  #standing: SyncProblem[] = []
  readonly #ofFiles = new Map<string, SyncProblem>()

  /** @param onChange what stands is other than before */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get all(): SyncProblem[] {
    return [...this.#standing, ...this.#ofFiles.values()]
  }

  /** Stands until `end`; said again it is the same. */
  begin(code: string, message: string): void {
    if (this.#standing.some((problem) => problem.code === code)) return
    this.#standing.push({ code, message })
    this.#onChange()
  }

  end(code: string): void {
    const before = this.#standing.length
    this.#standing = this.#standing.filter((problem) => problem.code !== code)
    if (this.#standing.length < before) this.#onChange()
  }

  /** @param paths that were looked at; undefined for all */
  note({ problems }: SyncReport, paths: readonly string[] | undefined): void {
    if (paths) for (const path of paths) this.#ofFiles.delete(path)
    else this.#ofFiles.clear()
    for (const problem of problems) this.#ofFiles.set(problem.path ?? problem.code, problem)
  }
}
