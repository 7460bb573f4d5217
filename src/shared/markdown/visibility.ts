/**
 * Privacy marks. `visibility: local` or `private` in the front matter keeps a note on this machine. `^[local]` or
 * `^[private]` at the end of a heading covers its section; on any other line, the enclosing block: paragraph, list item with its content, or code
 * block. An invalid value counts as local and is reported in `problem`. All patterns run in linear time.
 */
import { blocksOf, coverOf } from './visibility-blocks.ts'

export interface NoteVisibility {
  /** True if the whole note is local. */
  readonly isFullyLocal: boolean
  /** 0-based local lines if only parts are local; empty for a public note. */
  readonly localLines: ReadonlySet<number>
  /** Invalid value found instead of `local`, `private` or `all`; treated as `local`. */
  readonly problem?: string
}

export const localMark = '^[local]'
export const localFrontMatter = 'visibility: local'

/** `local` is the older word. */
const markPattern = /\^\[\s*(?:local|private)\s*\]/i
const markHintPattern = /\^\[\s*(?:local|private)|visibility/i
const frontMatterHintPattern = /^\uFEFF?\s*(?:---|\+\+\+)|^[\s\uFEFF-]*[a-z]{6,14}::/i

const publicNote: NoteVisibility = { isFullyLocal: false, localLines: new Set() }

/** Lines to search if the front matter is not closed. */
const maxUnclosedLines = 500
const maxProblemLength = 60

export function hasLocalMark(line: string): boolean {
  return markPattern.test(line)
}

/** Removes the privacy mark from a line. */
export function withoutLocalMark(line: string): string {
  return line.replaceAll(/\s*\^\[\s*(?:local|private)\s*\]/gi, '')
}

/** Returns which lines of a note are local. */
export function visibilityOf(text: string): NoteVisibility {
  // Fast path. Escapes (`\x`, `\u`) may spell the word.
  const hasFrontMatterHint = () =>
    frontMatterHintPattern.test(text) && /local|private|\\[ux]/i.test(text.normalize('NFKC'))
  if (!markHintPattern.test(text) && !hasFrontMatterHint()) return publicNote
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const value = visibilityValue(lines)
  if (value !== undefined) {
    const { isLocal, problem } = parseVisibility(value)
    if (isLocal) return { isFullyLocal: true, localLines: new Set(), ...(problem === undefined ? {} : { problem }) }
  }
  return markPattern.test(text) ? { isFullyLocal: false, localLines: markedLines(lines) } : publicNote
}

/** Returns the 0-based first line and the end pattern of YAML or TOML front matter; undefined if there is none. */
export function frontMatterDelimiters(
  lines: readonly string[],
): { readonly from: number; readonly end: RegExp } | undefined {
  const from = lines.findIndex((line) => line.trim() !== '')
  const mark = /^\s*(---|\+\+\+)\s*(?:#.*)?$/.exec(lines[from] ?? '')?.[1]
  if (mark === undefined) return undefined
  // Most programs ignore indented delimiters, but the author meant front matter.
  if (/^\s/.test(lines[from] ?? '')) return { from, end: mark === '---' ? /^\s*(?:---|\.\.\.)\s*$/ : /^\s*\+\+\+\s*$/ }
  return { from, end: mark === '---' ? /^(?:---|\.\.\.)\s*$/ : /^\+\+\+\s*$/ }
}

function visibilityValue(lines: readonly string[]): string | undefined {
  const frontMatter = frontMatterDelimiters(lines)
  const isEnd = (line: string, index: number) => frontMatter && index > frontMatter.from && frontMatter.end.test(line)
  const closingIndex = lines.findIndex(isEnd)
  const end = closingIndex < 0 ? Math.min(lines.length, maxUnclosedLines) : closingIndex
  let result: string | undefined
  for (let index = frontMatter ? frontMatter.from + 1 : 0; index < end; index += 1) {
    const line = lines[index] ?? ''
    if (!frontMatter && !isPropertyOrBlank(line)) break
    const value = frontMatter ? frontMatterVisibility(line) : propertyVisibility(line)
    if (value === undefined) continue
    const fullValue = withoutComment(value) === '' ? followingValue(lines, index + 1) : value
    // If values conflict, `local` wins. In unclosed front matter `all` is invalid, so the whole line is the value.
    if (result === undefined || !parseVisibility(result).isLocal)
      result = frontMatter && closingIndex < 0 && !parseVisibility(fullValue).isLocal ? line.trim() : fullValue
  }
  return result
}

/** Returns the visibility value of a front matter line, for a misspelt key the whole line, otherwise undefined. */
export function frontMatterVisibility(rawLine: string): string | undefined {
  const line = normalizeLine(rawLine)
  // Accepts invalid YAML too: a full-width colon, tabs, quoted or tagged keys.
  const value =
    /visibility/i.test(line) &&
    /^(?:.*\{(?:.*,)?)?[\s{]*(?:[!&]\S*\s+)*(?:\?\s+)?["']?visibility["']?\s*(?:[:：=]+(.*)|$)/i.exec(line)
  if (value) return (value[1] ?? '').replace(/[,}][^,]*$/, '')
  const [, key = '', otherValue = ''] = /^\s*["']?([a-z]{8,12})["']?\s*[:：=]+\s*(.*)$/i.exec(line) ?? []
  return isMisspelt(key, otherValue) ? line.trim() : undefined
}

/** Decodes YAML escapes and normalizes look-alike and invisible characters. */
function normalizeLine(line: string): string {
  const decoded = line.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8}))/gi, (escape, ...codes: string[]) => {
    const code = Number.parseInt(codes.slice(0, 3).find((hex) => hex) ?? '', 16)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : escape
  })
  return decoded.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

/** Returns the visibility value of a Logseq property line, for a misspelt key the whole line, otherwise undefined. */
export function propertyVisibility(rawLine: string): string | undefined {
  const line = normalizeLine(rawLine)
  const [, key = '', value = ''] = /^[\s-]*([a-z]{8,12})::\s*(.*)$/i.exec(line) ?? []
  if (key.toLowerCase() === 'visibility') return value
  return isMisspelt(key, value) ? line.trim() : undefined
}

/** Returns true for a key of 8 to 12 letters that is nearly `visibility`, if the value contains `local` or `private`. */
function isMisspelt(key: string, value: string): boolean {
  return /\b(?:local|private)\b/i.test(withoutComment(value)) && isWithinTwoEdits(key.toLowerCase(), 'visibility')
}

/** Returns true if the Levenshtein distance is at most 2. */
function isWithinTwoEdits(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [column, otherLetter] of [...other].entries()) {
      const substitution = (row[column] ?? 0) + Number(letter !== otherLetter)
      next.push(Math.min(substitution, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? Infinity) <= 2
}

function isPropertyOrBlank(line: string): boolean {
  return /^[\s-]*[\p{L}_][\p{L}\p{N}_-]*::/u.test(line) || /^[\s-]*$/.test(line)
}

/** Returns the value on the following lines, indented or as a list. */
function followingValue(lines: readonly string[], from: number): string {
  const values: string[] = []
  for (let index = from; /^(?:\s+\S|-\s|:\s)/.test(lines[index] ?? ''); index += 1)
    values.push((lines[index] ?? '').trim().replace(/^:\s+/, ''))
  return values.join(' ')
}

function withoutComment(value: string): string {
  return value.replace(/(?:^|\s)#.*$/, '').trim()
}

function parseVisibility(value: string): { readonly isLocal: boolean; readonly problem?: string } {
  const plain = withoutComment(value)
    .replace(/^["']|["']$/g, '')
    .trim()
  const key = plain.normalize('NFKC').toLowerCase()
  if (key === 'local' || key === 'private') return { isLocal: true }
  if (key === 'all') return { isLocal: false }
  return { isLocal: true, problem: plain.slice(0, maxProblemLength).toWellFormed() }
}

function markedLines(lines: readonly string[]): Set<number> {
  const blocks = blocksOf(lines)
  /** End of the covered range by its first line. */
  const coverEnds = new Map<number, number>()
  for (const [index, line] of lines.entries()) {
    if (!markPattern.test(line)) continue
    const { from, to } = coverOf(blocks, index)
    coverEnds.set(from, Math.max(coverEnds.get(from) ?? 0, to))
  }
  const local = new Set<number>()
  let end = 0
  for (let index = 0; index < lines.length; index += 1) {
    end = Math.max(end, coverEnds.get(index) ?? 0)
    if (index < end) local.add(index)
  }
  return local
}

/** Placeholder for a local line in text for a remote model. Replaces lines one by one, so line numbers stay valid. */
export const redactionPlaceholder = '[stays on this machine]'

/** Redacts the local lines of a text and counts them. */
export function redactLocal(
  text: string,
  visibility: NoteVisibility,
): { readonly text: string; readonly redactedCount: number } {
  if (!visibility.isFullyLocal && visibility.localLines.size === 0) return { text, redactedCount: 0 }
  let redactedCount = 0
  // Odd indexes are line breaks, so `index / 2` is the line number of `visibilityOf`.
  const shown = text.split(/(\r\n|\n|\r)/).map((line, index) => {
    if (index % 2 === 1 || line.trim() === '') return line
    if (!visibility.isFullyLocal && !visibility.localLines.has(index / 2)) return line
    redactedCount += 1
    return redactionPlaceholder
  })
  return { text: shown.join(''), redactedCount }
}
