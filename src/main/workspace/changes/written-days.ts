import { existsSync } from 'node:fs'
import { setBounded } from '#shared/util/lazy.ts'
import { LogFile } from './log-file.ts'
import { writtenDay } from './queries.ts'

const maxKnown = 10_000

/** Reads the days of lines from a change log, on its own connection. */
export class WrittenDays {
  readonly #log: LogFile
  readonly #days = new Map<string, NonNullable<ReturnType<typeof writtenDay>>>()

  /** @param file of the change log; it may not exist yet */
  constructor(file: string) {
    this.#log = new LogFile(file)
  }

  /** Returns the result of `writtenDay`; undefined without a log. @param hash of the note @param line 1-based */
  of(path: string, hash: string, line: number): ReturnType<typeof writtenDay> {
    const key = `${hash} ${line} ${path}`
    const day = this.#days.get(key) ?? this.#read(path, hash, line)
    // The log may get the newest version of the note later.
    if (day !== undefined) setBounded(this.#days, key, day, maxKnown)
    return day
  }

  #read(path: string, hash: string, line: number): ReturnType<typeof writtenDay> {
    if (!existsSync(this.#log.file)) return undefined
    try {
      return this.#log.run((log) => writtenDay(log, path, hash, line))
    } catch {
      // The owner of the log reports its damage.
      return undefined
    }
  }

  close(): void {
    this.#log.close()
  }
}
