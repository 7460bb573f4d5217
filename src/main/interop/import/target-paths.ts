import { stat } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { withoutImport } from '#shared/markdown/provenance.ts'
import { readText, resolveInside, type Place, type Roots } from '#workspace'
import { numbered } from './import-names.ts'

export interface Placed {
  readonly path: string
  /** False where it is here already. */
  readonly isNew: boolean
  /** Its name was another's. */
  readonly isBeside: boolean
}

export class Places {
  readonly #roots: Roots
  readonly #place: Place
  readonly #steering: ReadonlySet<string>
  /** What this import takes. */
  readonly #taken = new Set<string>()

  /** @param steering files that every request carries */
  constructor(roots: Roots, place: Place, steering: readonly string[]) {
    this.#roots = roots
    this.#place = place
    this.#steering = new Set(steering.map((path) => path.toLowerCase()))
  }

  /** @param isSame asked of what is there, by its absolute path and size @param from the first number to be tried */
  async find(
    wanted: string,
    isSame: (file: string, size: number) => Promise<boolean>,
    from: number = 1,
  ): Promise<Placed & { number: number }> {
    for (let number = from; ; number += 1) {
      const path = numbered(wanted, number)
      if (this.#taken.has(path)) continue
      const file = await resolveInside(this.#roots, path, this.#place)
      const info = await stat(file).catch((error: unknown) => {
        if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
        throw error
      })
      if (info && !(info.isFile() && (await isSame(file, info.size)))) continue
      // What every request carries comes from the user alone: what is imported stands beside it (M63).
      if (!info && this.#steering.has(path.toLowerCase())) continue
      this.#taken.add(path)
      return { path, isNew: !info, isBeside: number > 1 && !info, number }
    }
  }

  /** It goes somewhere else. */
  leave(path: string): void {
    this.#taken.delete(path)
  }
}

/** Whether a note that is there is what would be made; what says that it was imported does not count. */
export async function isThere(file: string, isSame: (text: string) => boolean): Promise<boolean> {
  try {
    const { text } = await readText(file)
    return isSame(text) || isSame(withoutImport(text))
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
