/**
 * The files that a canvas shows (https://jsoncanvas.org: nodes of type `file`) and the links of its cards (of type `text`),
 * each with its exact place, so that a rewrite touches nothing else of the JSON. Pure.
 */
import { parseLinks, type NoteLink } from './parse-links.ts'
import type { Edit } from './rewrite-links.ts'

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

/** Within a string of JSON every quote has a backslash before it: what looks like these is a key with its value. */
const card = /"text"\s*:\s*"((?:[^"\\]|\\.)*)"/g
const file = /"file"\s*:\s*"((?:[^"\\]|\\.)*)"/g

export function canvasFiles(text: string): CanvasFile[] {
  return [...text.matchAll(file)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const path = unescaped(written)
    const to = index + whole.length - 1
    return path === undefined || path === '' ? [] : [{ path, from: to - written.length, to }]
  })
}

/** The links of all cards, with their offsets and lines in the canvas. */
export function canvasLinks(text: string): NoteLink[] {
  let line = 1
  let counted = 0
  return [...text.matchAll(card)].flatMap(({ 0: whole, 1: written = '', index }) => {
    const said = written.includes('[') ? unescaped(written) : undefined
    const links = said === undefined ? [] : parseLinks(said).links
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

/** What is written into a card, as JSON says it. */
export function inJson(edits: readonly Edit[]): Edit[] {
  return edits.map((edit) => ({ ...edit, text: escaped(edit.text) }))
}

/** @param placeOf where a file is after a move; undefined for what is no file */
export function rewriteCanvas(files: readonly CanvasFile[], placeOf: (path: string) => string | undefined): Edit[] {
  return files.flatMap(({ path, from, to }) => {
    const now = placeOf(path)
    return now === undefined || now === path ? [] : [{ from, to, text: escaped(now) }]
  })
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Where each character of a string, and its end, stands as it is written. */
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
