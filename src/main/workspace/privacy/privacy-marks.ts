import { privateLinesOf, redactPrivate, visibilityOf } from '#shared/markdown/visibility.ts'
import { trashFolder } from '../files/layout.ts'
import { findRule, type NotePrivacy, type NotesFolder } from './privacy-rules.ts'
import { hash } from 'node:crypto'
import { comparableForms, comparableLine, isTellingLine } from '#shared/markdown/marks.ts'

export type PrivacyMarks = ReturnType<typeof marksBy>

const inTrash = new RegExp(`^${RegExp.escape(trashFolder)}/[^/]+/`)

/** Reads which text of a file is private, by the marks in the text and the rules for its path. */
export function marksBy(folders: readonly NotesFolder[]) {
  const of = (path: string, text: string): NotePrivacy => {
    const folder = folders.findLast(({ prefix }) => path.startsWith(prefix))
    // A deleted note stays private.
    const rule = folder && findRule(path.slice(folder.prefix.length).replace(inTrash, ''), folder.privateRules)
    const note = visibilityOf(text)
    return rule === undefined ? note : { ...note, isFullyPrivate: true, privateLines: new Set(), rule }
  }
  return {
    of,
    /** Returns the text with a placeholder for each private line; undefined if the whole file is private. */
    openText(path: string, text: string): string | undefined {
      const note = of(path, text)
      return note.isFullyPrivate ? undefined : redactPrivate(text, note)
    },
  }
}

/** Returns the keys of a text's lines, without lines that many texts have in common, and its links to messages. */
export function lineKeys(text: string): string[] {
  const forms = text.split('\n').flatMap(comparableForms)
  const links = text.match(/sessions\/[\w.-]+\.jsonl:\d+/g) ?? []
  return [...forms.map((form) => hash('sha1', form, 'base64url').slice(0, 14)), ...links]
}

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
