import { lazy } from '#shared/util/lazy.ts'
import type { Unit } from './unit.ts'

/** Size of chunks and of the text that a chunk repeats from the one before, in tokens. */
export interface Chunking {
  readonly tokens: number
  readonly overlap: number
}

const charactersPerToken = 4
/** Maximum length of a chunk in results, in UTF-16 characters. */
const maxSnippet = 700

/**
 * Divides lines into chunks at line ends, as OpenClaw does (`chunkMarkdown` in its `src/memory/internal.ts`), but no
 * chunk is longer than its size: lines of the overlap that do not fit beside the next line are left out. A longer line
 * is cut; its parts have the same number. A chunk has only private or only open lines, also in its overlap.
 * @param isPrivate takes a 1-based line
 */
export function splitChunks(
  lines: readonly TextLine[],
  { tokens, overlap }: Chunking,
  isPrivate: (line: number) => boolean,
): Unit[] {
  const maxLength = charactersPerToken * tokens
  const chunks: TextLine[][] = []
  let chunk: TextLine[] = []
  let length = 0
  for (const line of lines.flatMap((one) => cutLine(one, maxLength))) {
    const last = chunk.at(-1)
    const isBoundary = last !== undefined && isPrivate(last.line) !== isPrivate(line.line)
    const room = maxLength - lengthOf(line)
    if (last && (isBoundary || length > room)) {
      chunks.push(chunk)
      chunk = isBoundary ? [] : overlapOf(chunk, charactersPerToken * overlap, room)
      length = chunk.reduce((sum, one) => sum + lengthOf(one), 0)
    }
    chunk.push(line)
    length += lengthOf(line)
  }
  chunks.push(chunk)
  const filled = chunks.filter((one) => one.some(({ text }) => text.trim() !== ''))
  return filled.map((one, entry) => ({
    startLine: one[0]?.line ?? 0,
    endLine: one.at(-1)?.line ?? 0,
    text: one.map(({ text }) => text).join('\n'),
    heading: '',
    context: '',
    label: '',
    kind: 'text',
    entry,
  }))
}

/** Returns the beginning of a unit's text. Only chunks are longer. */
export function snippetOf(text: string): string {
  return sliceWhole(text, 0, maxSnippet)
}

function lengthOf({ text }: TextLine): number {
  return text.length + 1
}

/** Returns the last lines that have `overlap` characters together, or fewer if no more fit into `room`. */
function overlapOf(chunk: readonly TextLine[], overlap: number, room: number): TextLine[] {
  let from = chunk.length
  let length = 0
  while (length < overlap) {
    const previous = chunk[from - 1]
    if (!previous || length + lengthOf(previous) > room) break
    length += lengthOf(previous)
    from -= 1
  }
  return chunk.slice(from)
}

function cutLine({ line, text }: TextLine, maxLength: number): TextLine[] {
  const parts: TextLine[] = []
  let from = 0
  do {
    const part = sliceWhole(text, from, maxLength)
    parts.push({ line, text: part })
    from += part.length
  } while (from < text.length)
  return parts
}

function sliceWhole(text: string, from: number, length: number): string {
  const to = from + length
  return text.slice(from, to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? '') ? to - 1 : to)
}

export interface TextLine {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** Characters (UTF-16) up to which sentences or lines are joined in one part. */
const partLength = 300
/** Longer entries are divided: a little more than a part, so that no tiny remainder is cut off. */
const maxLength = 400
/** Longer sentences are divided at white space. */
const maxSentence = 450

const sentences = lazy(() => new Intl.Segmenter(undefined, { granularity: 'sentence' }))

/** Divides the lines of an entry: text at sentence ends, code at blank lines and then line ends. */
export function divideText(
  lines: readonly TextLine[],
  isCode: boolean,
): Pick<Unit, 'startLine' | 'endLine' | 'text'>[] {
  const [only] = lines
  if (only && lines.length === 1 && only.text.length < maxLength) {
    const text = only.text.trim()
    return text === '' ? [] : [{ startLine: only.line, endLine: only.line, text }]
  }
  const length = lines.reduce((sum, { text }) => sum + text.length + 1, 0)
  const pieces = length <= maxLength ? [[...lines]] : join(lines, isCode)
  return pieces.flatMap((piece) => {
    const isFilled = ({ text }: TextLine) => text.trim() !== ''
    const trimmed = piece.slice(piece.findIndex(isFilled), piece.findLastIndex(isFilled) + 1)
    const [first, last] = [trimmed[0], trimmed.at(-1)]
    if (!first || !last) return []
    return [{ startLine: first.line, endLine: last.line, text: joinLines(trimmed, isCode ? '\n' : '') }]
  })
}

/** Joins pieces; pieces of different lines are separated by a line feed, those of one line by `separator`. */
function joinLines(pieces: readonly TextLine[], separator: string): string {
  let text = ''
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) text += piece.line === pieces[at - 1]?.line ? separator : '\n'
    text += piece.text
  }
  return text.trim()
}

function join(lines: readonly TextLine[], isCode: boolean): TextLine[][] {
  const parts: TextLine[][] = []
  let part: TextLine[] = []
  let length = 0
  for (const piece of lines.flatMap(isCode ? cutLong : sentencesOf)) {
    const isBreak = isCode
      ? (piece.text.trim() === '' && length >= partLength / 2) || length + piece.text.length > maxLength
      : length > 0 && length + piece.text.length > partLength
    if (isBreak) {
      parts.push(part)
      part = []
      length = 0
    }
    part.push(piece)
    length += piece.text.length + (isCode ? 1 : 0)
  }
  parts.push(part)
  return parts
}

function sentencesOf({ line, text }: TextLine): TextLine[] {
  return Array.from(sentences().segment(text), ({ segment }) => ({ line, text: segment })).flatMap(cutLong)
}

/** Cuts a text without sentence ends, at white space where possible and never inside a surrogate pair. */
function cutLong({ line, text }: TextLine): TextLine[] {
  const pieces: TextLine[] = []
  let from = 0
  while (text.length - from > maxSentence) {
    const space = text.slice(from, from + partLength + 1).lastIndexOf(' ')
    let to = from + (space > partLength / 2 ? space + 1 : partLength)
    if (/[\ud800-\udbff]/.test(text[to - 1] ?? '')) to += 1
    pieces.push({ line, text: text.slice(from, to) })
    from = to
  }
  pieces.push({ line, text: text.slice(from) })
  return pieces
}
