/**
 * Splits off the thinking that local models send within the answer between `<think>` and `</think>`, also if a tag
 * arrives in several deltas. Applies only to answers that begin with the tag.
 */
export type ThinkPiece = { readonly type: 'text' | 'thinking'; readonly delta: string }

const opening = '<think>'
const closing = '</think>'

export class ThinkTags {
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  /** True directly after the opening tag; a line break there belongs to the tag. */
  #isFresh = false
  /** Text that may be the beginning of a tag. */
  #held = ''

  /** Returns the deltas that are certain so far; a possible start of a tag waits for the next call. */
  push(delta: string): ThinkPiece[] {
    const text = this.#held + delta
    this.#held = ''
    if (this.#state === 'text') return piece('text', text)
    if (this.#state === 'start') return this.#start(text)
    if (this.#state === 'gap') return this.#gap(text)
    return this.#think(text)
  }

  end(): ThinkPiece[] {
    const rest = this.#held
    this.#held = ''
    return piece(this.#state === 'thinking' ? 'thinking' : 'text', rest)
  }

  #start(text: string): ThinkPiece[] {
    const trimmed = text.trimStart()
    if (trimmed.startsWith(opening)) {
      this.#state = 'thinking'
      this.#isFresh = true
      return this.#think(trimmed.slice(opening.length))
    }
    if (opening.startsWith(trimmed)) {
      this.#held = text
      return []
    }
    this.#state = 'text'
    return piece('text', text)
  }

  #gap(text: string): ThinkPiece[] {
    const answer = text.trimStart()
    if (answer !== '') this.#state = 'text'
    return piece('text', answer)
  }

  #think(given: string): ThinkPiece[] {
    const text = this.#isFresh ? given.replace(/^\n/, '') : given
    this.#isFresh &&= given === ''
    const end = text.indexOf(closing)
    if (end >= 0) {
      this.#state = 'gap'
      return [...piece('thinking', text.slice(0, end)), ...this.#gap(text.slice(end + closing.length))]
    }
    const kept = partialTagLength(text)
    this.#held = text.slice(text.length - kept)
    return piece('thinking', text.slice(0, text.length - kept))
  }
}

function partialTagLength(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(closing.slice(0, length))) return length
  return 0
}

function piece(type: ThinkPiece['type'], delta: string): ThinkPiece[] {
  return delta === '' ? [] : [{ type, delta }]
}
