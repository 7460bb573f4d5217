import { frontMatterEnd } from '../blocks/front-matter.ts'
import type { HeadingStart } from '../blocks/line-starts.ts'
import { blocksOfNote, type Block as MarkdownBlock } from '../blocks/scan-blocks.ts'
import { hiddenRanges, rangeFinder, type Range } from './hidden-text.ts'
import { decodePart } from '../../util/decode.ts'

export interface LinkTarget {
  /** Decoded; empty if the link refers to its own note. */
  readonly target: string
  /** Decoded text after `#`: `Heading`, `Heading#Below`, `^block`. */
  readonly fragment?: string | undefined
}

/** Splits at the first `#`; does not decode. */
export function splitTarget(written: string): LinkTarget {
  const hash = written.indexOf('#')
  return hash < 0 ? { target: written } : { target: written.slice(0, hash), fragment: written.slice(hash + 1) }
}

export function formatTarget({ target, fragment }: LinkTarget): string {
  return fragment === undefined ? target : `${target}#${fragment}`
}

/**
 * Finds links to other notes with their exact offsets, and the link targets inside a note: headings and block ids.
 * Skips code and comments. Linear time.
 */

export interface NoteLink extends LinkTarget, Range {
  /** `[[target]]`, `[text](target)` (images too), or `[id]: target`. */
  readonly kind: 'wiki' | 'inline' | 'definition'
  /** `![[…]]`, `![…](…)`. */
  readonly isEmbed: boolean
  /** UTF-16 offsets of the raw target, without fragment and brackets. */
  readonly targetFrom: number
  readonly targetTo: number
  /** Offset after the fragment; undefined if there is no fragment. */
  readonly fragmentTo: number | undefined
  readonly written: string
  /** True for `(<target>)`, whose target may contain spaces. */
  readonly isAngled: boolean
  readonly label?: string | undefined
  /** True if Markdown links do not work here: in front matter, or in a Logseq macro (`{{embed [[…]]}}`). */
  readonly allowsOnlyWikiLink?: boolean
  /** 1-based. */
  readonly line: number
}

export interface LinkHeading extends HeadingStart {
  /** 1-based. */
  readonly line: number
}

export interface ParsedLinks {
  readonly links: readonly NoteLink[]
  readonly headings: readonly LinkHeading[]
  /** `line` is 1-based. */
  readonly blocks: readonly { readonly id: string; readonly line: number }[]
}

/** Characters; a longer target is not parsed as a link. */
const maxTarget = 1000
/** Characters between the `{{` of a macro and a link in it. */
const maxMacro = 200
/** Characters; longer lines are not searched for headings and block ids. */
const maxLine = 10_000

export function parseLinks(text: string): ParsedLinks {
  const lines = text.split('\n')
  const blocks = blocksOfNote(lines)
  const hidden = hiddenRanges(text, blocks)
  const starts = [0]
  for (const [index, line] of lines.entries()) starts.push((starts[index] ?? 0) + line.length + 1)
  return { links: linksOf(text, hidden, starts), ...headingsAndBlocks(lines, starts, blocks, hidden) }
}

function linksOf(text: string, hidden: readonly Range[], starts: readonly number[]): NoteLink[] {
  const links: NoteLink[] = []
  const matterEnd = frontMatterEnd(text)
  let openBrackets: number[] = []
  let lineIndex = 0
  const hiddenAt = rangeFinder(hidden)
  for (let offset = 0; offset < text.length; offset += 1) {
    while ((starts[lineIndex + 1] ?? Infinity) <= offset) lineIndex += 1
    const range = hiddenAt(offset)
    if (range) {
      offset = range.to - 1
      continue
    }
    const character = text[offset]
    if (character === '\\') offset += 1
    else if (character === '\n') {
      // A paragraph ends; its open brackets are text.
      if (isBlank(text, offset + 1)) openBrackets = []
    } else if (character === '[') {
      const link = text[offset + 1] === '[' ? wikiAt(text, offset, lineIndex + 1) : undefined
      if (link) {
        const macroStart = Math.max(starts[lineIndex] ?? 0, offset - maxMacro)
        const textBefore = text.slice(macroStart, offset)
        const isInMacro = textBefore.lastIndexOf('{{') > textBefore.lastIndexOf('}}')
        const allowsOnlyWikiLink = offset < matterEnd || isInMacro
        links.push(allowsOnlyWikiLink ? { ...link, allowsOnlyWikiLink } : link)
        offset = link.to - 1
      } else openBrackets.push(offset)
    } else if (character === ']') {
      const from = openBrackets.pop()
      if (from === undefined) continue
      const start = starts[lineIndex] ?? 0
      const startsLine = from >= start && from - start <= 3 && text.slice(start, from).trim() === ''
      const link =
        text[offset + 1] === '('
          ? inlineAt(text, from, offset + 1, lineIndex + 1)
          : text[offset + 1] === ':' && startsLine && text[from + 1] !== '^'
            ? definitionAt(text, from, offset + 1, lineIndex + 1)
            : undefined
      if (!link) continue
      links.push(link)
      // Links cannot contain links, but can contain images.
      if (!link.isEmbed) openBrackets = []
      if (link.targetTo > offset) offset = Math.max(offset, link.to - 1)
    }
  }
  return links.sort((one, other) => one.from - other.from)
}

const blankLine = /[ \t\r>]*(?:\n|$)/y

function isBlank(text: string, from: number): boolean {
  blankLine.lastIndex = from
  return blankLine.test(text)
}

/** Parses `[[target#fragment|label]]`; in a table the separator is `\|`. */
function wikiAt(text: string, offset: number, line: number): NoteLink | undefined {
  const start = offset + 2
  let end = start
  while (end < text.length && end - start <= maxTarget && !'[]|\n\r'.includes(text[end] ?? '')) end += 1
  const isLabelled = text[end] === '|'
  let labelEnd = end
  if (isLabelled) {
    const label = /^[^\n]*?(?=\]\])/.exec(text.slice(end, end + maxTarget))
    if (!label) return undefined
    labelEnd = end + label[0].length
  }
  if (!text.startsWith(']]', labelEnd)) return undefined
  const label = isLabelled ? text.slice(end + 1, labelEnd).trim() : ''
  if (isLabelled && text[end - 1] === '\\') end -= 1
  const content = text.slice(start, end)
  const { target: raw, fragment } = splitTarget(content)
  const target = raw.trim()
  if (fragment === undefined && target === '') return undefined
  if (/^(?:[a-z][a-z\d+.-]+:\/\/|mailto:)/i.test(target)) return undefined
  const leadingSpace = raw.length - raw.trimStart().length
  const isEmbed = text[offset - 1] === '!'
  return {
    kind: 'wiki',
    isEmbed,
    from: isEmbed ? offset - 1 : offset,
    to: labelEnd + 2,
    targetFrom: start + leadingSpace,
    targetTo: start + leadingSpace + target.length,
    fragmentTo: fragment === undefined ? undefined : start + content.trimEnd().length,
    written: target,
    isAngled: false,
    target,
    fragment: fragment?.trim(),
    ...(label === '' ? {} : { label }),
    line,
  }
}

interface Destination extends Range {
  readonly isAngled: boolean
  /** Offset after the destination. */
  readonly end: number
}

function inlineAt(text: string, from: number, parenOffset: number, line: number): NoteLink | undefined {
  const parsed = destinationIn(text, parenOffset)
  if (!parsed) return undefined
  const isEmbed = text[from - 1] === '!'
  const position = { isEmbed, from: isEmbed ? from - 1 : from, to: parsed.to, line }
  return createLink('inline', text, parsed.destination, position)
}

/** @param offset of `(` @returns `to`, the offset after `)`; undefined if it is not a valid destination */
function destinationIn(text: string, offset: number): { destination: Destination; to: number } | undefined {
  const destination = destinationAt(text, offset + 1, true)
  if (!destination) return undefined
  const afterSpace = skipSpace(text, destination.end)
  const afterTitle = afterSpace === destination.end ? undefined : titleEnd(text, afterSpace)
  const end = skipSpace(text, afterTitle ?? afterSpace)
  return text[end] === ')' ? { destination, to: end + 1 } : undefined
}

function definitionAt(text: string, from: number, colonOffset: number, line: number): NoteLink | undefined {
  const destination = destinationAt(text, colonOffset + 1, false)
  if (!destination || destination.from === destination.to) return undefined
  const lineEnd = text.indexOf('\n', destination.end)
  const rest = text.slice(destination.end, lineEnd < 0 ? text.length : lineEnd)
  if (rest.trim() !== '' && !/^\s+(?:"[^]*"|'[^]*'|\([^]*\))\s*$/.test(rest)) return undefined
  return createLink('definition', text, destination, { isEmbed: false, from, to: destination.end, line })
}

function createLink(
  kind: 'inline' | 'definition',
  text: string,
  { from, to, isAngled }: Destination,
  position: Pick<NoteLink, 'isEmbed' | 'from' | 'to' | 'line'>,
): NoteLink | undefined {
  const raw = text.slice(from, to)
  if (/^(?:[a-z][a-z\d+.-]+:|\/\/|\[\[)/i.test(raw)) return undefined
  if (raw === '' || to - from > maxTarget) return undefined
  const { target, fragment } = splitTarget(raw)
  return {
    kind,
    ...position,
    targetFrom: from,
    targetTo: from + target.length,
    fragmentTo: fragment === undefined ? undefined : to,
    written: target,
    isAngled,
    target: decodeDestination(target),
    fragment: fragment === undefined ? undefined : decodeDestination(fragment),
  }
}

function decodeDestination(raw: string): string {
  return decodePart(raw.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1'))
}

function destinationAt(text: string, start: number, isInline: boolean): Destination | undefined {
  const from = skipSpace(text, start)
  if (text[from] === '<') {
    const length = /^<[^<>\n]*(?=>)/.exec(text.slice(from, from + maxTarget))?.[0].length
    if (length === undefined) return undefined
    const to = from + length
    return { from: from + 1, to, isAngled: true, end: to + 1 }
  }
  let depth = 0
  let to = from
  for (; to < text.length && to - from <= maxTarget; to += 1) {
    const character = text[to] ?? ''
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(text[to + 1] ?? '')) to += 1
    else if (character <= ' ') break
    else if (character === '(') depth += 1
    else if (character === ')') {
      if (depth === 0 && isInline) break
      depth = Math.max(0, depth - 1)
    }
  }
  return depth === 0 && to <= text.length ? { from, to, isAngled: false, end: to } : undefined
}

/** Skips blanks and at most one line break. */
function skipSpace(text: string, start: number): number {
  let offset = start
  let hasBreak = false
  while (/[ \t\r]/.test(text[offset] ?? '') || (text[offset] === '\n' && !hasBreak)) {
    if (text[offset] === '\n') hasBreak = true
    offset += 1
  }
  return offset
}

function titleEnd(text: string, offset: number): number | undefined {
  const closing = { '"': '"', "'": "'", '(': ')' }[text[offset] ?? '']
  if (closing === undefined) return undefined
  const end = text.slice(offset + 1, offset + 1 + maxTarget).indexOf(closing)
  return end < 0 ? undefined : offset + end + 2
}

function headingsAndBlocks(
  lines: readonly string[],
  starts: readonly number[],
  markdownBlocks: readonly MarkdownBlock[],
  hidden: readonly Range[],
) {
  const headings: LinkHeading[] = []
  const blocks: ParsedLinks['blocks'][number][] = []
  const hiddenAt = rangeFinder(hidden)
  /** 1-based line of the last non-property line: the block that a following `id::` names. */
  let owner = 1
  const unquoted = markdownBlocks.filter((block) => block.kind === 'heading' && !isQuoted(block))
  const headingByLine = new Map(unquoted.map((block) => [block.from, block]))
  for (const [index, line] of lines.entries()) {
    const start = starts[index] ?? 0
    const hiddenTo = hiddenAt(start)?.to ?? -1
    if (hiddenTo >= start + line.length || line.length > maxLine) continue
    const heading = headingByLine.get(index)
    if (heading?.kind === 'heading') {
      const title = heading.title.replace(/\s\^[A-Za-z\d-]+$/, '').trimEnd()
      headings.push({ title, level: heading.level, line: index + 1 })
    }
    const id = /(?:^|\s)\^([A-Za-z\d-]+)\s*$/.exec(line.slice(-200))?.[1]
    if (id !== undefined) blocks.push({ id, line: index + 1 })
    const uuid = /^\s*id::\s+([\da-f-]{36})\s*$/.exec(line.slice(0, 200))?.[1]
    if (uuid !== undefined) blocks.push({ id: uuid, line: owner })
    else if (!/^\s*[\w.-]+::(?:\s|$)/.test(line.slice(0, 200))) owner = index + 1
  }
  return { headings, blocks }
}

function isQuoted({ parent }: MarkdownBlock): boolean {
  return parent !== undefined && (parent.kind === 'quote' || isQuoted(parent))
}
