import type { ForgetKind, ForgetPlace } from '#shared/contract/index.ts'
import { findInHistory } from '../history/rewrite-history.ts'
import { textsOf } from './decode-file.ts'
import type { Phrase } from './erase-pattern.ts'
import { isNamedAfter } from './remove-occurrences.ts'
import { isFile, storedOf, type ForgetFolders } from './erasure-stores.ts'

/** Lines that are reported for each file, and their length in UTF-16 code units. */
const maxLines = 5
const maxLine = 300

/** Kinds whose files are reported as one place. */
const asOne: ReadonlySet<ForgetKind> = new Set(['index', 'history'])

/** Lists the places with a match. @throws the signal's reason */
export async function scan(folders: ForgetFolders, phrase: Phrase, signal?: AbortSignal): Promise<ForgetPlace[]> {
  const found: ForgetPlace[] = []
  let [hasIndex, hasHistory] = [false, false]
  for (const { kind, path, file } of await storedOf(folders, signal)) {
    signal?.throwIfAborted()
    if (kind === 'index') hasIndex = true
    else if (kind === 'history') hasHistory ||= await hasIt(file, phrase)
    else {
      const place = await placeOf(kind, path, file, phrase)
      if (place) found.push(place)
    }
  }
  if (hasHistory) {
    const files = await findInHistory(folders.history, (text) => phrase.isIn(text), signal)
    for (const { path, versions, text } of files)
      found.push({ kind: 'history', path, count: versions, lines: told(phrase, text) })
    if (files.length === 0) found.push({ kind: 'history', path: 'history', count: 1, lines: [] })
  }
  if (hasIndex && found.length > 0) found.push({ kind: 'index', path: 'index', count: 1, lines: [] })
  return found
}

/** Lists remaining matches, file by file. Searches the raw bytes of the index. */
export async function verify(folders: ForgetFolders, phrase: Phrase): Promise<ForgetPlace[]> {
  const left: ForgetPlace[] = []
  for (const { kind, path, file } of await storedOf(folders)) {
    const place = asOne.has(kind)
      ? (await hasIt(file, phrase)) && { kind, path, count: 1, lines: [] }
      : await placeOf(kind, path, file, phrase)
    if (place) left.push(place)
  }
  return left
}

async function hasIt(file: string, phrase: Phrase): Promise<boolean> {
  return (await textsOf(file))?.some((text) => phrase.isIn(text)) ?? false
}

async function placeOf(kind: ForgetKind, path: string, file: string, phrase: Phrase): Promise<ForgetPlace | undefined> {
  const read = await textsOf(file)
  // A file that cannot be read may contain the phrase, so it is reported.
  if (!read && (await isFile(file))) return { kind, path, count: 0, lines: [] }
  const texts = read ?? []
  const hits = texts.filter((text) => phrase.isIn(text))
  const isNamed = isNamedAfter({ kind, path }, phrase)
  if (hits.length === 0 && !isNamed) return undefined
  const isText = kind === 'note' || kind === 'trash' || kind === 'other'
  const count = hits.reduce((sum, text) => sum + phrase.linesIn(text).length, 0)
  const lines = hits.flatMap((text) => told(phrase, text, isText)).slice(0, maxLines)
  const keepsLocal = kind === 'note' && !isNamed && hits.some((text) => phrase.movesMark(text))
  return { kind, path, count, lines, ...(isNamed ? { isNamed } : {}), ...(keepsLocal ? { keepsLocal } : {}) }
}

function told(phrase: Phrase, text: string, isNumbered = false): ForgetPlace['lines'] {
  const lines = text.split('\n')
  return phrase
    .linesIn(text)
    .slice(0, maxLines)
    .map((line) => ({
      ...(isNumbered ? { line } : {}),
      text: (lines[line - 1] ?? '').trim().slice(0, maxLine).toWellFormed(),
    }))
}
