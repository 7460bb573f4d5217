/**
 * The files that a canvas shows (https://jsoncanvas.org: nodes of type `file`), each with the exact place of its path, so
 * that a rewrite touches nothing else of the JSON. Pure.
 */
import type { Edit } from './rewrite.ts'

export interface CanvasFile {
  /** From the top of the vault, as JSON says it. */
  readonly path: string
  /** Offsets between the quotes. */
  readonly from: number
  readonly to: number
}

export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path)
}

/** Within a string of JSON every quote has a backslash before it: what looks like this is a key with its value. */
const file = /"file"\s*:\s*"((?:[^"\\]|\\.)*)"/g

export function canvasFiles(text: string): CanvasFile[] {
  return [...text.matchAll(file)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const path = unescaped(written)
    const to = index + whole.length - 1
    return path === undefined || path === '' ? [] : [{ path, from: to - written.length, to }]
  })
}

/** @param placeOf where a file is after a move; undefined for what is no file */
export function rewriteCanvas(files: readonly CanvasFile[], placeOf: (path: string) => string | undefined): Edit[] {
  return files.flatMap(({ path, from, to }) => {
    const now = placeOf(path)
    return now === undefined || now === path ? [] : [{ from, to, text: JSON.stringify(now).slice(1, -1) }]
  })
}

function unescaped(written: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${written}"`)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
