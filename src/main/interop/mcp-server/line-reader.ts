/** Cuts what comes in into lines, and keeps no more of one than it may have. Pure. */

/** Of a line that is too long, as much of its beginning and of its end is kept, bytes. */
const keptBytes = 2048

export interface LineEnds {
  readonly head: string
  readonly tail: string
}

export interface LineReader {
  /** @param line without its break */
  readonly onLine: (line: string) => void
  readonly onTooLong: (ends: LineEnds) => void
}

export class Lines {
  readonly #mostBytes: number
  readonly #reader: LineReader
  #begun: Buffer[] = []
  #length = 0
  /** Of the line that is being left out. */
  #head: Buffer | undefined
  #tail = Buffer.alloc(0)

  constructor(mostBytes: number, reader: LineReader) {
    this.#mostBytes = mostBytes
    this.#reader = reader
  }

  add(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, at))
      this.end()
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
  }

  /** The last line may lack its break. */
  end(): void {
    const [begun, head, tail] = [this.#begun, this.#head, this.#tail]
    this.#begun = []
    this.#length = 0
    this.#head = undefined
    this.#tail = Buffer.alloc(0)
    if (head) this.#reader.onTooLong({ head: head.toString('utf8'), tail: tail.toString('utf8') })
    else this.#reader.onLine(Buffer.concat(begun).toString('utf8'))
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length <= this.#mostBytes) {
      this.#begun.push(part)
      return
    }
    const whole = this.#head ? part : Buffer.concat([...this.#begun, part])
    this.#begun = []
    this.#head ??= Buffer.from(whole.subarray(0, keptBytes))
    this.#tail = Buffer.concat([this.#tail, whole.subarray(-keptBytes)]).subarray(-keptBytes)
  }
}
