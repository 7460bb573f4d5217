import { redactPrivate, visibilityOf } from '#shared/markdown/visibility.ts'
import { trashFolder } from '../files/layout.ts'
import { findRule, type NotePrivacy, type NotesFolder } from './privacy-rules.ts'
import { hash } from 'node:crypto'
import { comparableForms } from '#shared/markdown/marks.ts'

/** Reads which text of a file is private, by the marks in the text and the rules for its path. */
export interface PrivacyMarks {
  of(path: string, text: string): NotePrivacy
  /** Returns the text with a placeholder for each private line; undefined if the whole file is private. */
  openText(path: string, text: string): string | undefined
}

const inTrash = new RegExp(`^${RegExp.escape(trashFolder)}/[^/]+/`)

export function marksBy(folders: readonly NotesFolder[]): PrivacyMarks {
  const of = (path: string, text: string): NotePrivacy => {
    const folder = folders.findLast(({ prefix }) => path.startsWith(prefix))
    // A deleted note stays private.
    const rule = folder && findRule(path.slice(folder.prefix.length).replace(inTrash, ''), folder.privateRules)
    const note = visibilityOf(text)
    return rule === undefined ? note : { ...note, isFullyPrivate: true, privateLines: new Set(), rule }
  }
  return {
    of,
    openText(path, text) {
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
