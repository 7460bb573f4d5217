/**
 * Cuts Markdown into chunks (M10): runs of whole lines of about `tokens` tokens, each sharing up to `overlap` tokens
 * with the one before. A cut is placed where the text pauses: best at a heading, then at a blank line, then at a list
 * item; a code fence, table or front matter is kept whole where it fits. Pure.
 */
import { estimateTokens } from '#shared/util/tokens.ts'

export interface ChunkSettings {
  /** Most tokens of a chunk. */
  readonly tokens: number
  /** Tokens repeated from the chunk before. */
  readonly overlap: number
}

export const chunkSize: ChunkSettings = { tokens: 400, overlap: 80 }

export interface Chunk {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The headings above the chunk's first new line, outermost first, joined by ` › `. */
  readonly heading: string
  readonly text: string
}

type Block = 'text' | 'fence' | 'table' | 'frontMatter'

interface Line {
  readonly text: string
  readonly tokens: number
  /** 1 to 6 for a heading, else 0. */
  readonly level: number
  readonly block: Block
  /** The first line of its block. */
  readonly opensBlock: boolean
}

export const headingSeparator = ' › '

export function chunkMarkdown(text: string, settings: ChunkSettings): Chunk[] {
  const lines = readLines(text)
  const chunks: Chunk[] = []
  const headings = new HeadingPath()
  let start = 0
  let fresh = 0
  while (fresh < lines.length) {
    const first = lines[fresh]
    if (first && first.tokens > settings.tokens) {
      const heading = headings.at(lines, fresh)
      for (const part of splitLine(first.text, settings.tokens)) {
        chunks.push({ startLine: fresh + 1, endLine: fresh + 1, heading, text: part })
      }
      fresh += 1
      start = fresh
      continue
    }
    const end = chooseEnd(lines, start, fresh, settings.tokens)
    const body = lines.slice(start, end).map((line) => line.text)
    if (body.some((line) => line.trim() !== '')) {
      chunks.push({ startLine: start + 1, endLine: end, heading: headings.at(lines, fresh), text: body.join('\n') })
    }
    fresh = end
    start = overlapStart(lines, fresh, settings)
  }
  return chunks
}

/** Lines without their ends (`\n`, `\r\n`), classified by the block that they belong to. */
function readLines(text: string): Line[] {
  const raw = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  if (raw.at(-1) === '') raw.pop()
  const lines: Line[] = []
  let fence: string | undefined
  let inFrontMatter = raw[0] === '---' && raw.indexOf('---', 1) > 0
  for (const [index, line] of raw.entries()) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const opensFence: boolean = fence === undefined && marker !== undefined && !inFrontMatter
    const block: Block = inFrontMatter
      ? 'frontMatter'
      : fence !== undefined || opensFence
        ? 'fence'
        : /^\s*\|.*\|\s*$/.test(line)
          ? 'table'
          : 'text'
    lines.push({
      text: line,
      tokens: estimateTokens(line) + 1,
      level: block === 'text' ? (/^ {0,3}(#{1,6})(?:\s|$)/.exec(line)?.[1]?.length ?? 0) : 0,
      block,
      opensBlock: opensFence || block !== lines.at(-1)?.block,
    })
    if (opensFence) fence = marker
    else if (fence !== undefined && marker?.startsWith(fence) && line.trim() === marker) fence = undefined
    if (inFrontMatter && index > 0 && line === '---') inFrontMatter = false
  }
  return lines
}

/** Where the chunk ends (exclusive) that starts at `start` and must take at least the line `fresh`. */
function chooseEnd(lines: readonly Line[], start: number, fresh: number, limit: number): number {
  let tokens = 0
  let furthest = start
  while (furthest < lines.length && tokens + (lines[furthest]?.tokens ?? 0) <= limit) {
    tokens += lines[furthest]?.tokens ?? 0
    furthest += 1
  }
  if (furthest === lines.length) return furthest
  let best = Math.max(furthest, fresh + 1)
  let bestScore = -Infinity
  let filled = 0
  for (let cut = start + 1; cut <= furthest; cut += 1) {
    filled += lines[cut - 1]?.tokens ?? 0
    if (cut <= fresh) continue
    const score = filled / limit + cutStrength(lines, cut)
    if (score >= bestScore) {
      bestScore = score
      best = cut
    }
  }
  return best
}

/** How good it is to begin a chunk at line `cut`, in shares of a full chunk that one would give up for it. */
function cutStrength(lines: readonly Line[], cut: number): number {
  const next = lines[cut]
  const before = lines[cut - 1]
  if (!next || !before) return 0
  if (next.level > 0) return 0.6 - next.level * 0.02
  if (before.level > 0) return -0.6
  if (next.block !== 'text' && !next.opensBlock) return -0.5
  if (before.text.trim() === '') return 0.25
  return /^\s*(?:[-*+]|\d+[.)])\s/.test(next.text) ? 0.05 : 0
}

/** The first line of the next chunk: as many whole lines before `fresh` as fit into the overlap; none at a heading. */
function overlapStart(lines: readonly Line[], fresh: number, settings: ChunkSettings): number {
  const next = lines[fresh]
  if (!next || next.level > 0) return fresh
  let start = fresh
  let shared = 0
  while (start > 0) {
    const before = lines[start - 1]
    if (!before || shared + before.tokens > settings.overlap || before.tokens > settings.tokens) break
    shared += before.tokens
    start -= 1
    if (before.level > 0) break
  }
  return shared + next.tokens > settings.tokens ? fresh : start
}

/** Cuts one line into parts of at most `limit` tokens, at white space where there is some, never inside a character. */
function splitLine(text: string, limit: number): string[] {
  const parts: string[] = []
  let part = ''
  let tokens = 0
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    const cost = segment.length === 1 && segment < '\u1100' ? 0.25 : Math.max(0.25, estimateTokens(segment))
    if (tokens + cost > limit - 1) {
      const space = part.lastIndexOf(' ')
      const keep = space > part.length / 2 ? space + 1 : part.length
      parts.push(part.slice(0, keep))
      part = part.slice(keep)
      tokens = estimateTokens(part)
    }
    part += segment
    tokens += cost
  }
  if (part !== '') parts.push(part)
  return parts
}

/** Follows the headings down the file; asked for lines in ascending order. */
class HeadingPath {
  #stack: { level: number; title: string }[] = []
  #next = 0

  at(lines: readonly Line[], index: number): string {
    for (; this.#next <= index; this.#next += 1) {
      const line = lines[this.#next]
      if (!line || line.level === 0) continue
      this.#stack = this.#stack.filter((heading) => heading.level < line.level)
      this.#stack.push({
        level: line.level,
        title: line.text
          .replace(/^[\s#]+/, '')
          .replace(/\s+#+\s*$/, '')
          .trim(),
      })
    }
    return this.#stack.map((heading) => heading.title).join(headingSeparator)
  }
}
