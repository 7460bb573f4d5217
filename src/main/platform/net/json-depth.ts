/** No answer of any provider nests deeper than some tens of levels, schemas of tools included. */
export const maxLevels = 200

const quote = 0x22
const backslash = 0x5c

export class Nesting {
  #levels = 0
  #isString = false
  #isEscaped = false

  /** @returns false when it is too deep */
  add(byte: number): boolean {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isString = false
      return true
    }
    if (byte === quote) this.#isString = true
    else if (byte === 0x5b || byte === 0x7b) this.#levels += 1
    else if (byte === 0x5d || byte === 0x7d) this.#levels = Math.max(0, this.#levels - 1)
    return this.#levels <= maxLevels
  }

  /** A line has ended: no string goes on past it. */
  endLine(): void {
    this.#isString = false
    this.#isEscaped = false
  }

  /** What comes now has nothing to do with what was. */
  reset(): void {
    this.endLine()
    this.#levels = 0
  }
}

export function isShallow(json: string): boolean {
  const nesting = new Nesting()
  for (let at = 0; at < json.length; at += 1) if (!nesting.add(json.charCodeAt(at))) return false
  return true
}
