export type ThinkPiece = { readonly type: 'text' | 'thinking'; readonly delta: string }

const opening = '<think>'
const closing = '</think>'

/**
 * Splits off the thinking that local models send within the answer between `<think>` and `</think>`, also if a tag
 * arrives in several deltas. Applies only to answers that begin with the tag.
 */
export class ThinkTags {
  /** `gap`: the white space after the closing tag. */
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
    if (this.#state === 'start') return this.#pushStart(text)
    if (this.#state === 'gap') return this.#pushGap(text)
    return this.#pushThinking(text)
  }

  end(): ThinkPiece[] {
    const text = this.#pending
    this.#pending = ''
    return toPieces(this.#state === 'thinking' ? 'thinking' : 'text', text)
  }

  #pushStart(text: string): ThinkPiece[] {
    const trimmed = text.trimStart()
    if (trimmed.startsWith(opening)) {
      this.#state = 'thinking'
      this.#isAfterOpening = true
      return this.#pushThinking(trimmed.slice(opening.length))
    }
    if (opening.startsWith(trimmed)) {
      this.#pending = text
      return []
    }
    this.#state = 'text'
    return toPieces('text', text)
  }

  #pushGap(text: string): ThinkPiece[] {
    const answer = text.trimStart()
    if (answer !== '') this.#state = 'text'
    return toPieces('text', answer)
  }

  #pushThinking(delta: string): ThinkPiece[] {
    const text = this.#isAfterOpening ? delta.replace(/^\n/, '') : delta
    this.#isAfterOpening &&= delta === ''
    const end = text.indexOf(closing)
    if (end >= 0) {
      this.#state = 'gap'
      return [...toPieces('thinking', text.slice(0, end)), ...this.#pushGap(text.slice(end + closing.length))]
    }
    const certainLength = text.length - partialTagLength(text)
    this.#pending = text.slice(certainLength)
    return toPieces('thinking', text.slice(0, certainLength))
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
