import { existsSync } from 'node:fs'
import { setBounded } from '#shared/util/lazy.ts'
import { LogFile } from './log-file.ts'
import { writtenDays } from './queries.ts'

const maxNotes = 500

/** Reads the days of lines from a change log, on its own connection. */
export class WrittenDays {
  readonly #log: LogFile
  readonly #days = new Map<string, readonly (string | undefined)[]>()

  /** @param file of the change log; it may not exist yet */
  constructor(file: string) {
    this.#log = new LogFile(file)
  }

  /** Returns the day on which a line was written; undefined if it is unknown. @param hash of the note @param line 1-based */
  of(path: string, hash: string, line: number): string | undefined {
    const key = `${path} ${hash}`
    const known = this.#days.get(key)
    const days = known ?? this.#read(path, hash)
    // The log may get the newest version of the note later.
    if (!known && days.length > 0) setBounded(this.#days, key, days, maxNotes)
    return days[line - 1]
  }

  #read(path: string, hash: string): readonly (string | undefined)[] {
    if (!existsSync(this.#log.file)) return []
    try {
      return this.#log.run((log) => writtenDays(log, path, hash))
    } catch {
      // The owner of the log reports its damage.
      return []
    }
  }

  close(): void {
    this.#log.close()
  }
}
