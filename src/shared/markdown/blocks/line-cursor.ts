/** Position in a line by column; a tab extends to the next multiple of four (CommonMark §2.2). */
export class LineCursor {
  readonly line: string
  #at = 0
  #column = 0
  /** Index and column of the next non-blank character. */
  #next = 0
  #nextColumn = 0

  constructor(line: string) {
    this.line = line
    this.#findNext()
  }

  /** Columns up to the next non-blank character. */
  get indent(): number {
    return this.#nextColumn - this.#column
  }

  get isBlank(): boolean {
    return this.#next === this.line.length
  }

  get rest(): string {
    return this.line.slice(this.#next)
  }

  /** Skips blank columns, at most up to the next non-blank character. */
  skip(columns: number): void {
    const end = Math.min(this.#column + columns, this.#nextColumn)
    while (this.#column < end) {
      const stop = this.line[this.#at] === '\t' ? this.#column + 4 - (this.#column % 4) : this.#column + 1
      if (stop <= end) this.#at += 1
      this.#column = Math.min(stop, end)
    }
  }

  /** Skips blanks and then `length` characters. */
  jump(length: number): void {
    this.#at = this.#next + length
    this.#column = this.#nextColumn + length
    this.#findNext()
  }

  #findNext(): void {
    this.#next = this.#at
    this.#nextColumn = this.#column
    for (; this.#next < this.line.length; this.#next += 1) {
      const sign = this.line.charCodeAt(this.#next)
      if (sign === 32) this.#nextColumn += 1
      else if (sign === 9) this.#nextColumn += 4 - (this.#nextColumn % 4)
      else return
    }
  }
}
