export type ThinkPiece = { readonly type: 'text' | 'thinking'; readonly delta: string }

const opening = '<think>'
const closing = '</think>'

/**
 * Splits off the thinking that local models send within the answer between `<think>` and `</think>`, also if a tag
 * arrives in several deltas. Applies only to answers that begin with the tag.
 */
export class ThinkTags {
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  /** True directly after the opening tag; a line break there belongs to the tag. */
  #isAfterOpening = false
  /** Text that may be the beginning of a tag. */
  #pending = ''

  /** Returns the deltas that are certain so far; a possible start of a tag waits for the next call. */
  push(delta: string): ThinkPiece[] {
    const text = this.#pending + delta
    this.#pending = ''
    if (this.#state === 'text') return toPieces('text', text)
    if (this.#state === 'start') return this.#start(text)
    if (this.#state === 'gap') return this.#gap(text)
    return this.#think(text)
  }

  end(): ThinkPiece[] {
    const rest = this.#pending
    this.#pending = ''
    return toPieces(this.#state === 'thinking' ? 'thinking' : 'text', rest)
  }

  #start(text: string): ThinkPiece[] {
    const trimmed = text.trimStart()
    if (trimmed.startsWith(opening)) {
      this.#state = 'thinking'
      this.#isAfterOpening = true
      return this.#think(trimmed.slice(opening.length))
    }
    if (opening.startsWith(trimmed)) {
      this.#pending = text
      return []
    }
    this.#state = 'text'
    return toPieces('text', text)
  }

  #gap(text: string): ThinkPiece[] {
    const answer = text.trimStart()
    if (answer !== '') this.#state = 'text'
    return toPieces('text', answer)
  }

  #think(given: string): ThinkPiece[] {
    const text = this.#isAfterOpening ? given.replace(/^\n/, '') : given
    this.#isAfterOpening &&= given === ''
    const end = text.indexOf(closing)
    if (end >= 0) {
      this.#state = 'gap'
      return [...toPieces('thinking', text.slice(0, end)), ...this.#gap(text.slice(end + closing.length))]
    }
    const kept = partialTagLength(text)
    this.#pending = text.slice(text.length - kept)
    return toPieces('thinking', text.slice(0, text.length - kept))
  }
}

function partialTagLength(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(closing.slice(0, length))) return length
  return 0
}

function toPieces(type: ThinkPiece['type'], delta: string): ThinkPiece[] {
  return delta === '' ? [] : [{ type, delta }]
}
