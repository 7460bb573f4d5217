/** Maximum nesting of a JSON response; the levels of real responses, with tool schemas, stay below 100. */
export const maxLevels = 200

const quote = 0x22
const backslash = 0x5c

export class JsonDepthCounter {
  #levels = 0
  #isInString = false
  #isEscaped = false

  /** Adds one byte. Returns false if the nesting exceeds `maxLevels`. */
  add(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isInString = false
      return true
    }
    if (byte === quote) this.#isInString = true
    else if (byte === 0x5b || byte === 0x7b) this.#levels += 1
    else if (byte === 0x5d || byte === 0x7d) this.#levels = Math.max(0, this.#levels - 1)
    return this.#levels <= maxLevels
  }

  /** Resets the string state: JSON strings do not span lines. */
  endLine(): void {
    this.#isInString = false
    this.#isEscaped = false
  }

  reset(): void {
    this.endLine()
    this.#levels = 0
  }
}

export function isWithinDepthLimit(json: string): boolean {
  const nesting = new JsonDepthCounter()
  for (let at = 0; at < json.length; at += 1) if (!nesting.add(json.charCodeAt(at))) return false
  return true
}
