/** Position in a line by column; a tab extends to the next multiple of four (CommonMark §2.2). */
export class LineCursor {
  readonly line: string
  #index = 0
  #column = 0
  /** Index and column of the next non-blank character. */
  #nextIndex = 0
  #nextColumn = 0

  constructor(line: string) {
    this.line = line
    this.#findNext()
  }

  /** Number of columns up to the next non-blank character. */
  get indent(): number {
    return this.#nextColumn - this.#column
  }

  get isBlank(): boolean {
    return this.#nextIndex === this.line.length
  }

  /** The line from the next non-blank character on. */
  get content(): string {
    return this.line.slice(this.#nextIndex)
  }

  /** Skips blank columns, at most up to the next non-blank character. */
  skip(columns: number): void {
    const end = Math.min(this.#column + columns, this.#nextColumn)
    while (this.#column < end) {
      const nextStop = this.line[this.#index] === '\t' ? this.#column + 4 - (this.#column % 4) : this.#column + 1
      if (nextStop <= end) this.#index += 1
      this.#column = Math.min(nextStop, end)
    }
  }

  /** Skips blanks and then `length` characters. */
  jump(length: number): void {
    this.#index = this.#nextIndex + length
    this.#column = this.#nextColumn + length
    this.#findNext()
  }

  #findNext(): void {
    this.#nextIndex = this.#index
    this.#nextColumn = this.#column
    for (; this.#nextIndex < this.line.length; this.#nextIndex += 1) {
      const code = this.line.charCodeAt(this.#nextIndex)
      if (code === 32) this.#nextColumn += 1
      else if (code === 9) this.#nextColumn += 4 - (this.#nextColumn % 4)
      else return
    }
  }
}
