/**
 * Who may see a note. `visibility: local` in the front matter keeps a note on this machine; `^[local]` at the end of
 * a heading keeps its section, at the end of any other line what that line belongs to: the paragraph, the item with what
 * is below it, the block of code. Any editor shows both. What cannot be understood counts as local, for that is the side on
 * which nothing is lost; `problem` says so. Pure and linear.
 */
import { blocksOf, coverOf } from './visibility-blocks.ts'

export interface NoteVisibility {
  /** All of it stays on this machine. */
  readonly isWhole: boolean
  /** By 0-based line, where not all of it does; empty for a note that everybody may see. */
  readonly lines: ReadonlySet<number>
  /** What stands where `local` or `all` was to stand; it is taken for `local`. */
  readonly problem?: string
}

export const localMark = '^[local]'
/** The line of the front matter that keeps all of a note here. */
export const localMatter = 'visibility: local'

const marked = /\^\[\s*local\s*\]/i
/** A look that costs nothing. */
const mayBeMarked = /\^\[\s*local|visibility/i
/** Its key may be misspelt. */
const mayBeMatter = /^\uFEFF?\s*(?:---|\+\+\+)|^[\s\uFEFF-]*[a-z]{6,14}::/i

const nobody: NoteVisibility = { isWhole: false, lines: new Set() }

/** Front matter that never ends is looked through so far, in lines. */
const maxMatter = 500
const maxProblem = 60

export function hasLocalMark(line: string): boolean {
  return marked.test(line)
}

/** A line without the mark that keeps it here. */
export function withoutLocalMark(line: string): string {
  return line.replaceAll(/\s*\^\[\s*local\s*\]/gi, '')
}

export function visibilityOf(text: string): NoteVisibility {
  if (!mayBeMarked.test(text) && !(mayBeMatter.test(text) && /local|\\[ux]/i.test(text.normalize('NFKC'))))
    return nobody
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const said = saidOf(lines)
  if (said !== undefined) {
    const { isLocal, problem } = readValue(said)
    if (isLocal) return { isWhole: true, lines: new Set(), ...(problem === undefined ? {} : { problem }) }
  }
  return marked.test(text) ? { isWhole: false, lines: markedLines(lines) } : nobody
}

/** Where the front matter of a note begins and ends: YAML or TOML, also behind empty lines, as some editors leave them. */
export function matterOf(lines: readonly string[]): { readonly from: number; readonly end: RegExp } | undefined {
  const from = lines.findIndex((line) => line.trim() !== '')
  const mark = /^\s*(---|\+\+\+)\s*(?:#.*)?$/.exec(lines[from] ?? '')?.[1]
  if (mark === undefined) return undefined
  // Further in it is none to most programs, but somebody meant it.
  if (/^\s/.test(lines[from] ?? '')) return { from, end: mark === '---' ? /^\s*(?:---|\.\.\.)\s*$/ : /^\s*\+\+\+\s*$/ }
  return { from, end: mark === '---' ? /^(?:---|\.\.\.)\s*$/ : /^\+\+\+\s*$/ }
}

/** The value in the front matter, or in the properties that Logseq writes first; undefined where nothing is said. */
function saidOf(lines: readonly string[]): string | undefined {
  const matter = matterOf(lines)
  const close = matter ? lines.findIndex((line, at) => at > matter.from && matter.end.test(line)) : -1
  const to = close < 0 ? Math.min(lines.length, maxMatter) : close
  let found: string | undefined
  for (let at = matter ? matter.from + 1 : 0; at < to; at += 1) {
    const line = lines[at] ?? ''
    if (!matter && !isProperty(line)) break
    const value = matter ? matterValue(line) : propertyValue(line)
    if (value === undefined) continue
    const whole = withoutComment(value) === '' ? belowIt(lines, at + 1) : value
    // Of two that differ the one that keeps more counts; `all` counts for nothing where no end says what it stands in.
    if (found === undefined || !readValue(found).isLocal)
      found = matter && close < 0 && !readValue(whole).isLocal ? line.trim() : whole
  }
  return found
}

/** What a line of front matter says of who may see it; undefined where that is nothing. */
export function matterValue(written: string): string | undefined {
  const line = plainly(written)
  // Also where YAML would find a mistake: a full-width colon, tabs; and however the key is written there.
  const value =
    /visibility/i.test(line) &&
    /^(?:.*\{(?:.*,)?)?[\s{]*(?:[!&]\S*\s+)*(?:\?\s+)?["']?visibility["']?\s*(?:[:：=]+(.*)|$)/i.exec(line)
  if (value) return (value[1] ?? '').replace(/[,}][^,]*$/, '')
  const [, key = '', said = ''] = /^\s*["']?([a-z]{6,14})["']?\s*[:：=]+\s*(.*)$/i.exec(line) ?? []
  return isMisspelt(key, said) ? line.trim() : undefined
}

/** Without what YAML and fonts hide letters behind. */
function plainly(line: string): string {
  const read = line.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8}))/gi, (sign, ...codes: string[]) => {
    const code = Number.parseInt(codes.slice(0, 3).find((one) => one) ?? '', 16)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : sign
  })
  return read.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

/** The same of the properties that Logseq writes. */
export function propertyValue(written: string): string | undefined {
  const line = plainly(written)
  const [, key = '', said = ''] = /^[\s-]*([a-z]{6,14})::\s*(.*)$/i.exec(line) ?? []
  if (key.toLowerCase() === 'visibility') return said
  return isMisspelt(key, said) ? line.trim() : undefined
}

/** A slip of the key, where its value speaks of it. */
function isMisspelt(key: string, said: string): boolean {
  return /\blocal\b/i.test(withoutComment(said)) && isNear(key.toLowerCase(), 'visibility')
}

/** Two letters more, fewer or others at most. */
function isNear(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [by, sign] of [...other].entries())
      next.push(Math.min((row[by] ?? 0) + Number(letter !== sign), (row[by + 1] ?? 0) + 1, (next[by] ?? 0) + 1))
    row = next
  }
  return (row.at(-1) ?? 9) <= 2
}

function isProperty(line: string): boolean {
  return /^[\s-]*[\p{L}_][\p{L}\p{N}_-]*::/u.test(line) || /^[\s-]*$/.test(line)
}

/** A value that begins on the next lines, indented or as a list. */
function belowIt(lines: readonly string[], from: number): string {
  const below: string[] = []
  for (let at = from; /^(?:\s+\S|-\s|:\s)/.test(lines[at] ?? ''); at += 1)
    below.push((lines[at] ?? '').trim().replace(/^:\s+/, ''))
  return below.join(' ')
}

function withoutComment(value: string): string {
  return value.replace(/(?:^|\s)#.*$/, '').trim()
}

function readValue(value: string): { readonly isLocal: boolean; readonly problem?: string } {
  const plain = withoutComment(value)
    .replace(/^["']|["']$/g, '')
    .trim()
  const key = plain.normalize('NFKC').toLowerCase()
  if (key === 'local') return { isLocal: true }
  if (key === 'all') return { isLocal: false }
  return { isLocal: true, problem: plain.slice(0, maxProblem).toWellFormed() }
}

function markedLines(lines: readonly string[]): Set<number> {
  const blocks = blocksOf(lines)
  /** How far what begins at a line goes. */
  const reach = new Map<number, number>()
  for (const [at, line] of lines.entries()) {
    if (!marked.test(line)) continue
    const { from, to } = coverOf(blocks, at)
    reach.set(from, Math.max(reach.get(from) ?? 0, to))
  }
  const local = new Set<number>()
  let end = 0
  for (let at = 0; at < lines.length; at += 1) {
    end = Math.max(end, reach.get(at) ?? 0)
    if (at < end) local.add(at)
  }
  return local
}

/** What a remote model is shown where a line stays here: as many lines as there were, so that numbers stay right. */
export const heldLine = '[stays on this machine]'

/** The text with its local lines held back, and how many those are. */
export function withoutLocal(
  text: string,
  visibility: NoteVisibility,
): { readonly text: string; readonly held: number } {
  if (!visibility.isWhole && visibility.lines.size === 0) return { text, held: 0 }
  let held = 0
  // Lines and what ends them by turns: they are counted as `visibilityOf` counts them.
  const shown = text.split(/(\r\n|\n|\r)/).map((line, at) => {
    if (at % 2 === 1 || line.trim() === '') return line
    if (!visibility.isWhole && !visibility.lines.has(at / 2)) return line
    held += 1
    return heldLine
  })
  return { text: shown.join(''), held }
}
