import type { TextLine } from './divide-text.ts'
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
