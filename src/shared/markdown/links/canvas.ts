/**
 * Parses JSON Canvas files (https://jsoncanvas.org): file nodes, and links in text nodes, with exact offsets so that a
 * rewrite preserves the rest of the JSON.
 */
import { parseJson } from '../../util/json.ts'
import { type NoteLink, parseLinks } from './parse-links.ts'
import type { Edit } from './rewrite-links.ts'

export type CanvasFile = ReturnType<typeof canvasFiles>[number]

export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path)
}

/** Inside a JSON string every quote is escaped, so these patterns match only keys with their values. */
const textPattern = /"text"\s*:\s*"((?:[^"\\]|\\.)*)"/g
const filePattern = /"file"\s*:\s*"((?:[^"\\]|\\.)*)"/g

/**
 * Returns the file nodes in text order, with their path from the vault's top and the UTF-16 offsets between the quotes;
 * skips those with an invalid or empty path.
 */
export function canvasFiles(text: string) {
  return [...text.matchAll(filePattern)].flatMap(({ 0: match, 1: escaped = '', index }) => {
    const path = unescapeJson(escaped)
    const to = index + match.length - '"'.length
    return path === undefined || path === '' ? [] : [{ path, from: to - escaped.length, to }]
  })
}

/** Returns the links of all text nodes, with offsets and lines in the canvas file. */
export function canvasLinks(text: string): NoteLink[] {
  let line = 1
  let countedOffset = 0
  return [...text.matchAll(textPattern)].flatMap(({ 0: match, 1: escaped = '', index }) => {
    const decodedText = escaped.includes('[') ? unescapeJson(escaped) : undefined
    const links = decodedText === undefined ? [] : parseLinks(decodedText).links
    if (links.length === 0) return []
    line += text.slice(countedOffset, index).split('\n').length - 1
    countedOffset = index
    const start = index + match.length - '"'.length - escaped.length
    // Offsets in the JSON source, by the UTF-16 offset in the decoded string.
    const offsets = [...escaped.matchAll(/\\u.{4}|\\?[^]/g).map(({ index: offset }) => offset), escaped.length]
    const toFileOffset = (offset: number) => start + (offsets[offset] ?? offset)
    return links.map((link) => ({
      ...link,
      from: toFileOffset(link.from),
      to: toFileOffset(link.to),
      targetFrom: toFileOffset(link.targetFrom),
      targetTo: toFileOffset(link.targetTo),
      fragmentTo: link.fragmentTo === undefined ? undefined : toFileOffset(link.fragmentTo),
      line,
    }))
  })
}

/** Escapes the new texts: they become parts of JSON strings. */
export function escapeEdits(edits: readonly Edit[]): Edit[] {
  return edits.map((edit) => ({ ...edit, text: escapeJson(edit.text) }))
}

/** Returns the edits for moved files. @param newPathOf returns the path after the move; undefined for a missing file */
export function rewriteCanvas(files: readonly CanvasFile[], newPathOf: (path: string) => string | undefined): Edit[] {
  return files.flatMap(({ path, from, to }) => {
    const newPath = newPathOf(path)
    return newPath === undefined || newPath === path ? [] : [{ from, to, text: escapeJson(newPath) }]
  })
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function unescapeJson(json: string): string | undefined {
  const value = parseJson(`"${json}"`)
  return typeof value === 'string' ? value : undefined
}
