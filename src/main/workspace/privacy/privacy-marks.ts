import type { SearchResult } from '#shared/contract/index.ts'
import { redactPrivate, visibilityOf } from '#shared/markdown/visibility.ts'
import { trashFolder } from '../files/layout.ts'
import type { WalkedFile } from '../files/walk.ts'
import { findRule, type NotePrivacy, type NotesFolder } from './privacy-rules.ts'
import { hash } from 'node:crypto'
import { comparableForms } from '#shared/markdown/comparable-line.ts'

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

/** Returns the files that are wholly or partly private, by path. */
export type PrivacyOfFiles = (
  files: readonly WalkedFile[],
) => Promise<ReadonlyMap<string, { readonly isWhole: boolean }>>

/**
 * Returns the files without the wholly private ones. The size of a partly private one is that of its open text, in bytes.
 * @param openTextAt returns undefined if the file cannot be read
 */
export async function openFiles<T extends { readonly path: string; readonly size: number }>(
  files: readonly T[],
  privacy: Awaited<ReturnType<PrivacyOfFiles>>,
  openTextAt: (path: string) => Promise<string | undefined>,
): Promise<T[]> {
  const found = files.map(async (file) => {
    const note = privacy.get(file.path)
    if (!note) return [file]
    const text = note.isWhole ? undefined : await openTextAt(file.path)
    return text === undefined ? [] : [{ ...file, size: Buffer.byteLength(text) }]
  })
  return (await Promise.all(found)).flat()
}

export type Place = Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'fileHash'>

/** Returns a file with its path without symbolic links; undefined if it cannot be read. */
export type ReadPlace = (path: string) => Promise<{ path: string; text: string; hash?: string } | undefined>

/**
 * Returns the indexed places whose lines are open now. Drops those in files that have changed since they were indexed, as
 * their lines are elsewhere.
 */
export async function openPlaces<T extends Place>(
  places: readonly T[],
  marks: PrivacyMarks,
  read: ReadPlace,
): Promise<T[]> {
  const paths = [...new Set(places.map(({ path }) => path))]
  const files = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)))
  return places.filter(({ path, startLine, endLine, fileHash }) => {
    const file = files.get(path)
    if (!file || (file.hash !== undefined && fileHash !== undefined && file.hash !== fileHash)) return false
    const { isFullyPrivate, privateLines } = marks.of(file.path, file.text)
    return !isFullyPrivate && ![...privateLines].some((line) => startLine <= line + 1 && line + 1 <= endLine)
  })
}

/** Returns the keys of a text's lines, without lines that many texts have in common, and its links to messages. */
export function lineKeys(text: string): string[] {
  const forms = text.split('\n').flatMap(comparableForms)
  const links = text.match(/sessions\/[\w.-]+\.jsonl:\d+/g) ?? []
  return [...forms.map((form) => hash('sha1', form, 'base64url').slice(0, 14)), ...links]
}
