import type { ForgetKind, ErasurePlace } from '#shared/contract/index.ts'
import { findInHistory } from '../history/rewrite-history.ts'
import { extractTexts } from './decode-file.ts'
import type { ErasePattern } from './erase-pattern.ts'
import { hasMatchingPath } from './remove-occurrences.ts'
import { isFile, listStoredFiles, type ErasureFolders } from './erasure-stores.ts'

/** Limits for each file: number of reported lines, length of a line (UTF-16 code units). */
const maxLines = 5
const maxLineLength = 300

const groupedKinds: ReadonlySet<ForgetKind> = new Set(['index', 'history'])

/** Lists the places with a match. @throws the signal's reason */
export async function findOccurrences(
  folders: ErasureFolders,
  pattern: ErasePattern,
  signal?: AbortSignal,
): Promise<ErasurePlace[]> {
  const places: ErasurePlace[] = []
  let [hasIndex, hasHistoryMatch] = [false, false]
  for (const { kind, path, file } of await listStoredFiles(folders, signal)) {
    signal?.throwIfAborted()
    if (kind === 'index') hasIndex = true
    else if (kind === 'history') hasHistoryMatch ||= await containsMatch(file, pattern)
    else {
      const place = await findInFile(kind, path, file, pattern)
      if (place) places.push(place)
    }
  }
  if (hasHistoryMatch) {
    const files = await findInHistory(folders.history, (text) => pattern.matches(text), signal)
    for (const { path, versions, text } of files)
      places.push({ kind: 'history', path, count: versions, lines: excerptLines(pattern, text) })
    if (files.length === 0) places.push({ kind: 'history', path: 'history', count: 1, lines: [] })
  }
  if (hasIndex && places.length > 0) places.push({ kind: 'index', path: 'index', count: 1, lines: [] })
  return places
}

/** Lists the matches that remain after an erasure, file by file. Searches the raw bytes of the index. */
export async function findRemaining(folders: ErasureFolders, pattern: ErasePattern): Promise<ErasurePlace[]> {
  const remaining: ErasurePlace[] = []
  for (const { kind, path, file } of await listStoredFiles(folders)) {
    const place = groupedKinds.has(kind)
      ? (await containsMatch(file, pattern)) && { kind, path, count: 1, lines: [] }
      : await findInFile(kind, path, file, pattern)
    if (place) remaining.push(place)
  }
  return remaining
}

export async function containsMatch(file: string, pattern: ErasePattern): Promise<boolean> {
  return (await extractTexts(file))?.some((text) => pattern.matches(text)) ?? false
}

async function findInFile(
  kind: ForgetKind,
  path: string,
  file: string,
  pattern: ErasePattern,
): Promise<ErasurePlace | undefined> {
  const texts = await extractTexts(file)
  // A file that cannot be read may contain the phrase, so it is reported.
  if (!texts && (await isFile(file))) return { kind, path, count: 0, lines: [] }
  const matchingTexts = (texts ?? []).filter((text) => pattern.matches(text))
  const isPathMatch = hasMatchingPath({ kind, path }, pattern)
  if (matchingTexts.length === 0 && !isPathMatch) return undefined
  const hasLineNumbers = kind === 'note' || kind === 'trash' || kind === 'other'
  const count = matchingTexts.reduce((sum, text) => sum + pattern.matchingLines(text).length, 0)
  const lines = matchingTexts.flatMap((text) => excerptLines(pattern, text, hasLineNumbers)).slice(0, maxLines)
  const keepsPrivate = kind === 'note' && !isPathMatch && matchingTexts.some((text) => pattern.addsMarkers(text))
  return {
    kind,
    path,
    count,
    lines,
    ...(isPathMatch ? { isNamed: true } : {}),
    ...(keepsPrivate ? { keepsPrivate } : {}),
  }
}

function excerptLines(pattern: ErasePattern, text: string, hasLineNumbers = false): ErasurePlace['lines'] {
  const lines = text.split('\n')
  return pattern
    .matchingLines(text)
    .slice(0, maxLines)
    .map((line) => ({
      ...(hasLineNumbers ? { line } : {}),
      text: (lines[line - 1] ?? '').trim().slice(0, maxLineLength).toWellFormed(),
    }))
}
