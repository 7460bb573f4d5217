/**
 * The file under the log. Writing to it never throws: what cannot be written (the disk is full, the folder is gone) is
 * counted, and the count is written as soon as writing works again. It is bounded: when it is full it becomes the old
 * one, of which one is kept. Lines are written at once, for the last of them before a crash must be there.
 */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemClock } from '../clock.ts'

const maxBytes = 10 * 1024 * 1024
/** How often it is looked whether the file is still the one that its name leads to, and whether writing works again. */
const lookMs = 1000

export interface LogFileOptions {
  readonly maxBytes?: number
  /** Measures how long ago it was looked, ms. */
  readonly now?: () => number
}

export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #now: () => number
  #handle: number | undefined
  #size = 0
  #lookedAt = -Infinity
  #dropped = 0
  /** The last line was written in part only. */
  #isTorn = false

  constructor(path: string, options: LogFileOptions = {}) {
    this.#path = path
    this.#maxBytes = options.maxBytes ?? maxBytes
    this.#now = options.now ?? (() => performance.now())
  }

  /** Makes the file, if that can be done now. */
  open(): void {
    try {
      this.#look()
    } catch {
      // The first line tries again.
      this.close()
    }
  }

  /** Appends a line, its line break included. */
  write(line: string): void {
    try {
      this.#look()
      if (this.#handle === undefined) {
        this.#dropped += 1
        return
      }
      if (this.#size > 0 && this.#size + line.length > this.#maxBytes) this.#turn()
      const missing = this.#dropped > 0 ? droppedLine(this.#dropped) : ''
      this.#append(this.#handle, `${this.#isTorn ? '\n' : ''}${missing}${line}`)
      this.#dropped = 0
    } catch {
      // Nobody can be told in a log that the log does not work; what is missing is said when it works again.
      this.#dropped += 1
      this.close()
    }
  }

  close(): void {
    const handle = this.#handle
    this.#handle = undefined
    if (handle === undefined) return
    try {
      closeSync(handle)
    } catch {
      // It is closed all the same.
    }
  }

  /** Opens the file; anew where it was moved or deleted, which other processes may do too. */
  #look(): void {
    const now = this.#now()
    if (now - this.#lookedAt < lookMs && now >= this.#lookedAt) return
    this.#lookedAt = now
    if (this.#handle !== undefined && isSameFile(this.#handle, this.#path)) {
      this.#size = fstatSync(this.#handle).size
      return
    }
    this.close()
    mkdirSync(dirname(this.#path), { recursive: true })
    this.#handle = openSync(this.#path, 'a')
    this.#size = fstatSync(this.#handle).size
  }

  #turn(): void {
    this.close()
    renameSync(this.#path, `${this.#path}.old`)
    this.#handle = openSync(this.#path, 'a')
    this.#size = 0
    this.#isTorn = false
  }

  #append(handle: number, text: string): void {
    const bytes = Buffer.from(text, 'utf8')
    for (let done = 0; done < bytes.length;) {
      const written = writeSync(handle, bytes, done)
      done += written
      this.#size += written
      this.#isTorn = done < bytes.length
      if (written === 0) throw new Error('no room')
    }
  }
}

function isSameFile(handle: number, path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  const open = fstatSync(handle)
  return there !== undefined && there.ino === open.ino && there.dev === open.dev
}

/** In the form that pino writes, with the same clock. */
function droppedLine(count: number): string {
  return `${JSON.stringify({ level: 40, time: systemClock().toISOString(), dropped: count, msg: 'lines of the log could not be written' })}\n`
}
