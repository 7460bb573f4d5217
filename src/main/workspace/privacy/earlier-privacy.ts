import { comparableLine, isTellingLine } from '#shared/markdown/marks.ts'
import { privateLinesOf, redactPrivate } from '#shared/markdown/visibility.ts'
import type { PrivacyMarks } from './privacy-marks.ts'

interface NoteText {
  readonly path: string
  readonly text: string
}

/**
 * Judges earlier versions of notes by their own marks, by the rules of today and by the lines that were marked later: a
 * line that is private in any note now, or was private in its own note and is not open there now. Call `add` for each
 * note first.
 */
export class EarlierPrivacy {
  readonly #marks: PrivacyMarks
  readonly #privateLines = new Set<string>()
  /** Private lines of a note; undefined if the whole note is private. */
  readonly #privateLinesOf = new Map<number, ReadonlySet<string> | undefined>()

  constructor(marks: PrivacyMarks) {
    this.#marks = marks
  }

  /** @param now the current text, or the last one of a deleted note @param earlier earlier versions */
  add(note: number, now: NoteText, earlier: Iterable<NoteText> = []): void {
    const privateLines = ({ path, text }: NoteText) =>
      privateLinesOf(text, this.#marks.of(path, text)).map(comparableLine)
    const privateNow = new Set(privateLines(now))
    for (const line of privateNow) if (isTellingLine(line)) this.#privateLines.add(line)
    const open = new Set(now.text.split(lineBreak).map(comparableLine)).difference(privateNow)
    const lines = privateNow.union(new Set(Iterator.from(earlier).flatMap(privateLines))).difference(open)
    this.#privateLinesOf.set(note, this.#marks.of(now.path, now.text).isFullyPrivate ? undefined : lines)
  }

  /** Returns a version with a placeholder for each private line; undefined if it is wholly private. */
  openText(note: number, { path, text }: NoteText): string | undefined {
    const privacy = this.#marks.of(path, text)
    const own = this.#privateLinesOf.get(note)
    if (privacy.isFullyPrivate || !own) return undefined
    if (own.size + this.#privateLines.size === 0) return redactPrivate(text, privacy)
    const privateLines = new Set(privacy.privateLines)
    for (const [index, line] of text.split(lineBreak).entries()) {
      const comparable = comparableLine(line)
      // A line such as `---` is in many notes.
      if (!/[\p{L}\p{N}]/u.test(comparable)) continue
      if (own.has(comparable) || this.#privateLines.has(comparable)) privateLines.add(index)
    }
    return redactPrivate(text, { ...privacy, privateLines })
  }
}

/** The line breaks of `redactPrivate`. */
const lineBreak = /\r\n|\n|\r/
