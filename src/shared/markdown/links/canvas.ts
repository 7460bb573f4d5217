/**
 * Parses JSON Canvas files (https://jsoncanvas.org): file nodes, and links in text nodes, with exact offsets so that a
 * rewrite preserves the rest of the JSON.
 */
import { parseLinks, type NoteLink } from './parse-links.ts'
import type { Edit } from './rewrite-links.ts'

export interface CanvasFile {
  /** Path from the vault's top, JSON-decoded. */
  readonly path: string
  /** UTF-16 offsets between the quotes. */
  readonly from: number
  readonly to: number
}

export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path)
}

/** Inside a JSON string every quote is escaped, so these patterns match only keys with their values. */
const card = /"text"\s*:\s*"((?:[^"\\]|\\.)*)"/g
const file = /"file"\s*:\s*"((?:[^"\\]|\\.)*)"/g

/** Returns the file nodes in text order; skips those with an invalid or empty path. */
export function canvasFiles(text: string): CanvasFile[] {
  return [...text.matchAll(file)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const path = unescaped(written)
    const to = index + whole.length - 1
    return path === undefined || path === '' ? [] : [{ path, from: to - written.length, to }]
  })
}

/** Returns the links of all text nodes, with offsets and lines in the canvas file. */
export function canvasLinks(text: string): NoteLink[] {
  let line = 1
  let counted = 0
  return [...text.matchAll(card)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const decodedText = written.includes('[') ? unescaped(written) : undefined
    const links = decodedText === undefined ? [] : parseLinks(decodedText).links
    if (links.length === 0) return []
    line += text.slice(counted, index).split('\n').length - 1
    counted = index
    const start = index + whole.length - 1 - written.length
    const offsets = offsetsOf(written)
    const placeOf = (at: number) => start + (offsets[at] ?? at)
    return links.map((link) => ({
      ...link,
      from: placeOf(link.from),
      to: placeOf(link.to),
      targetFrom: placeOf(link.targetFrom),
      targetTo: placeOf(link.targetTo),
      fragmentTo: link.fragmentTo === undefined ? undefined : placeOf(link.fragmentTo),
      line,
    }))
  })
}

/** Escapes the replacement texts for JSON. */
export function escapeEdits(edits: readonly Edit[]): Edit[] {
  return edits.map((edit) => ({ ...edit, text: escaped(edit.text) }))
}

/** Returns the edits for moved files. @param placeOf returns the path after the move; undefined for a missing file */
export function rewriteCanvas(files: readonly CanvasFile[], placeOf: (path: string) => string | undefined): Edit[] {
  return files.flatMap(({ path, from, to }) => {
    const newPath = placeOf(path)
    return newPath === undefined || newPath === path ? [] : [{ from, to, text: escaped(newPath) }]
  })
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Maps each UTF-16 offset in the decoded string, and its end, to the offset in the JSON source. */
function offsetsOf(written: string): number[] {
  const offsets: number[] = []
  let at = 0
  while (at < written.length) {
    offsets.push(at)
    at += written[at] !== '\\' ? 1 : written[at + 1] === 'u' ? 6 : 2
  }
  return [...offsets, at]
}

function unescaped(written: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${written}"`)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
