import type { ForgetKind, ErasurePlace } from '#shared/contract/index.ts'
import { findInHistory } from '../history/rewrite-history.ts'
import { extractTexts } from './decode-file.ts'
import type { ErasePattern } from './erase-pattern.ts'
import { hasMatchingPath } from './remove-occurrences.ts'
import { isFile, listStoredFiles, type ErasureFolders } from './erasure-stores.ts'

/** Lines that are reported for each file, and their length in UTF-16 code units. */
const maxLines = 5
const maxLine = 300

const groupedKinds: ReadonlySet<ForgetKind> = new Set(['index', 'history'])

/** Lists the places with a match. @throws the signal's reason */
export async function findOccurrences(
  folders: ErasureFolders,
  phrase: ErasePattern,
  signal?: AbortSignal,
): Promise<ErasurePlace[]> {
  const found: ErasurePlace[] = []
  let [hasIndex, hasHistory] = [false, false]
  for (const { kind, path, file } of await listStoredFiles(folders, signal)) {
    signal?.throwIfAborted()
    if (kind === 'index') hasIndex = true
    else if (kind === 'history') hasHistory ||= await containsMatch(file, phrase)
    else {
      const place = await findInFile(kind, path, file, phrase)
      if (place) found.push(place)
    }
  }
  if (hasHistory) {
    const files = await findInHistory(folders.history, (text) => phrase.matches(text), signal)
    for (const { path, versions, text } of files)
      found.push({ kind: 'history', path, count: versions, lines: excerptLines(phrase, text) })
    if (files.length === 0) found.push({ kind: 'history', path: 'history', count: 1, lines: [] })
  }
  if (hasIndex && found.length > 0) found.push({ kind: 'index', path: 'index', count: 1, lines: [] })
  return found
}

/** Lists remaining matches, file by file. Searches the raw bytes of the index. */
export async function findRemaining(folders: ErasureFolders, phrase: ErasePattern): Promise<ErasurePlace[]> {
  const left: ErasurePlace[] = []
  for (const { kind, path, file } of await listStoredFiles(folders)) {
    const place = groupedKinds.has(kind)
      ? (await containsMatch(file, phrase)) && { kind, path, count: 1, lines: [] }
      : await findInFile(kind, path, file, phrase)
    if (place) left.push(place)
  }
  return left
}

async function containsMatch(file: string, phrase: ErasePattern): Promise<boolean> {
  return (await extractTexts(file))?.some((text) => phrase.matches(text)) ?? false
}

async function findInFile(
  kind: ForgetKind,
  path: string,
  file: string,
  phrase: ErasePattern,
): Promise<ErasurePlace | undefined> {
  const read = await extractTexts(file)
  // A file that cannot be read may contain the phrase, so it is reported.
  if (!read && (await isFile(file))) return { kind, path, count: 0, lines: [] }
  const texts = read ?? []
  const hits = texts.filter((text) => phrase.matches(text))
  const isPathMatch = hasMatchingPath({ kind, path }, phrase)
  if (hits.length === 0 && !isPathMatch) return undefined
  const isText = kind === 'note' || kind === 'trash' || kind === 'other'
  const count = hits.reduce((sum, text) => sum + phrase.matchingLines(text).length, 0)
  const lines = hits.flatMap((text) => excerptLines(phrase, text, isText)).slice(0, maxLines)
  const keepsLocal = kind === 'note' && !isPathMatch && hits.some((text) => phrase.addsMarkers(text))
  return {
    kind,
    path,
    count,
    lines,
    ...(isPathMatch ? { isNamed: isPathMatch } : {}),
    ...(keepsLocal ? { keepsLocal } : {}),
  }
}

function excerptLines(phrase: ErasePattern, text: string, isNumbered = false): ErasurePlace['lines'] {
  const lines = text.split('\n')
  return phrase
    .matchingLines(text)
    .slice(0, maxLines)
    .map((line) => ({
      ...(isNumbered ? { line } : {}),
      text: (lines[line - 1] ?? '').trim().slice(0, maxLine).toWellFormed(),
    }))
}
