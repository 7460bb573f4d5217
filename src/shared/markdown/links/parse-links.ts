/**
 * Finds links to other notes with their exact offsets, and the link targets inside a note: headings and block ids.
 * Skips code and comments. Linear time.
 */
import { frontMatterEnd } from '../blocks/front-matter.ts'
import { blocksOfNote, type Container, type Block as MarkdownBlock } from '../blocks/scan-blocks.ts'
import { hiddenRanges, type Range } from './hidden-text.ts'
import { decodePart } from '../../util/decode.ts'

export interface NoteLink {
  /** `[[target]]`, `[text](target)` (images too), or `[id]: target`. */
  readonly kind: 'wiki' | 'inline' | 'definition'
  /** `![[…]]`, `![…](…)`. */
  readonly isEmbed: boolean
  /** UTF-16 offsets of the whole link, end exclusive. */
  readonly from: number
  readonly to: number
  /** UTF-16 offsets of the raw target, without fragment and brackets. */
  readonly targetFrom: number
  readonly targetTo: number
  /** Offset after the fragment; undefined if there is no fragment. */
  readonly fragmentTo: number | undefined
  /** Raw target. */
  readonly written: string
  /** True for `(<target>)`, whose target may contain spaces. */
  readonly isAngled: boolean
  /** Label of `[[…|label]]`. */
  readonly label?: string | undefined
  /** True if Markdown links do not work here: in front matter, or in a Logseq macro (`{{embed [[…]]}}`). */
  readonly allowsOnlyWikiLink?: boolean
  /** Decoded target; empty if the link refers to its own note. */
  readonly target: string
  /** Decoded text after `#`: `Heading`, `Heading#Below`, `^block`. */
  readonly fragment: string | undefined
  /** 1-based. */
  readonly line: number
}

export interface Heading {
  readonly title: string
  /** 1 to 6. */
  readonly level: number
  /** 1-based. */
  readonly line: number
}

export interface Block {
  readonly id: string
  /** 1-based. */
  readonly line: number
}

export interface ParsedLinks {
  /** In text order. */
  readonly links: readonly NoteLink[]
  readonly headings: readonly Heading[]
  readonly blocks: readonly Block[]
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
  return { links: linksOf(text, hidden, lineStarts(text)), ...headingsAndBlocks(lines, blocks, hidden) }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function linksOf(text: string, hidden: readonly Range[], lines: readonly number[]): NoteLink[] {
  const links: NoteLink[] = []
  const matter = frontMatterEnd(text)
  let openBrackets: number[] = []
  let line = 0
  let skip = 0
  for (let at = 0; at < text.length; at += 1) {
    while ((lines[line + 1] ?? Infinity) <= at) line += 1
    while ((hidden[skip]?.to ?? Infinity) <= at) skip += 1
    const range = hidden[skip]
    if (range && at >= range.from) {
      at = range.to - 1
      continue
    }
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '\n') {
      // A paragraph ends; its open brackets are text.
      if (isBlank(text, at + 1)) openBrackets = []
    } else if (character === '[') {
      const link = text[at + 1] === '[' ? wikiAt(text, at, line + 1) : undefined
      if (link) {
        const allowsOnlyWikiLink = at < matter || isInMacro(text.slice(Math.max(lines[line] ?? 0, at - maxMacro), at))
        links.push(allowsOnlyWikiLink ? { ...link, allowsOnlyWikiLink } : link)
        at = link.to - 1
      } else openBrackets.push(at)
    } else if (character === ']') {
      const from = openBrackets.pop()
      if (from === undefined) continue
      const start = lines[line] ?? 0
      const startsLine = from >= start && from - start <= 3 && text.slice(start, from).trim() === ''
      const link =
        text[at + 1] === '('
          ? inlineAt(text, from, at + 1, line + 1)
          : text[at + 1] === ':' && startsLine && text[from + 1] !== '^'
            ? definitionAt(text, from, at + 1, line + 1)
            : undefined
      if (!link) continue
      links.push(link)
      // Links cannot contain links, but can contain images.
      if (!link.isEmbed) openBrackets = []
      if (link.targetTo > at) at = Math.max(at, link.to - 1)
    }
  }
  return links.sort((one, other) => one.from - other.from)
}

function isInMacro(before: string): boolean {
  return before.lastIndexOf('{{') > before.lastIndexOf('}}')
}

function isBlank(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n') return true
    if (text[at] !== ' ' && text[at] !== '\t' && text[at] !== '\r' && text[at] !== '>') return false
  }
  return true
}

/** Parses `[[target#fragment|label]]`; in a table the separator is `\|`. */
function wikiAt(text: string, at: number, line: number): NoteLink | undefined {
  const start = at + 2
  let end = start
  while (end < text.length && end - start <= maxTarget && !'[]|\n\r'.includes(text[end] ?? '')) end += 1
  const isLabelled = text[end] === '|'
  let close = end
  if (isLabelled) {
    const label = /^[^\n]*?(?=\]\])/.exec(text.slice(end, end + maxTarget))
    if (!label) return undefined
    close = end + label[0].length
  }
  if (!text.startsWith(']]', close)) return undefined
  const label = isLabelled ? text.slice(end + 1, close).trim() : ''
  if (isLabelled && text[end - 1] === '\\') end -= 1
  const whole = text.slice(start, end)
  const hash = whole.indexOf('#')
  const raw = hash < 0 ? whole : whole.slice(0, hash)
  const target = raw.trim()
  if (hash < 0 && target === '') return undefined
  if (/^(?:[a-z][a-z\d+.-]+:\/\/|mailto:)/i.test(target)) return undefined
  const lead = raw.length - raw.trimStart().length
  const isEmbed = text[at - 1] === '!'
  return {
    kind: 'wiki',
    isEmbed,
    from: isEmbed ? at - 1 : at,
    to: close + 2,
    targetFrom: start + lead,
    targetTo: start + lead + target.length,
    fragmentTo: hash < 0 ? undefined : start + whole.trimEnd().length,
    written: target,
    isAngled: false,
    target,
    fragment: hash < 0 ? undefined : whole.slice(hash + 1).trim(),
    ...(label === '' ? {} : { label }),
    line,
  }
}

interface Destination {
  readonly from: number
  readonly to: number
  readonly isAngled: boolean
  /** Offset after the destination. */
  readonly end: number
}

function inlineAt(text: string, from: number, paren: number, line: number): NoteLink | undefined {
  const found = destinationIn(text, paren)
  if (!found) return undefined
  const isEmbed = text[from - 1] === '!'
  return linkOf('inline', text, found.destination, { isEmbed, from: isEmbed ? from - 1 : from, to: found.to, line })
}

/**
 * Parses the part of a Markdown link between `(` and `)`, for any kind of target.
 * @param paren offset of `(`
 * @returns `to`, the offset after `)`; undefined if it is not a valid destination
 */
export function destinationIn(text: string, paren: number): { destination: Destination; to: number } | undefined {
  const destination = destinationAt(text, paren + 1, true)
  if (!destination) return undefined
  let end = skipSpace(text, destination.end)
  if (text[end] !== ')') {
    if (end === destination.end) return undefined
    const title = titleEnd(text, end)
    if (title === undefined) return undefined
    end = skipSpace(text, title)
    if (text[end] !== ')') return undefined
  }
  return { destination, to: end + 1 }
}

function definitionAt(text: string, from: number, colon: number, line: number): NoteLink | undefined {
  const destination = destinationAt(text, colon + 1, false)
  if (!destination || destination.from === destination.to) return undefined
  const end = text.indexOf('\n', destination.end)
  const rest = text.slice(destination.end, end < 0 ? text.length : end)
  if (rest.trim() !== '' && !/^\s+(?:"[^]*"|'[^]*'|\([^]*\))\s*$/.test(rest)) return undefined
  return linkOf('definition', text, destination, { isEmbed: false, from, to: destination.end, line })
}

function linkOf(
  kind: 'inline' | 'definition',
  text: string,
  { from, to, isAngled }: Destination,
  place: Pick<NoteLink, 'isEmbed' | 'from' | 'to' | 'line'>,
): NoteLink | undefined {
  const raw = text.slice(from, to)
  if (/^(?:[a-z][a-z\d+.-]+:|\/\/|\[\[)/i.test(raw)) return undefined
  const hash = raw.indexOf('#')
  if (raw === '' || to - from > maxTarget) return undefined
  const target = hash < 0 ? raw : raw.slice(0, hash)
  return {
    kind,
    ...place,
    targetFrom: from,
    targetTo: from + target.length,
    fragmentTo: hash < 0 ? undefined : to,
    written: target,
    isAngled,
    target: decodeDestination(target),
    fragment: hash < 0 ? undefined : decodeDestination(raw.slice(hash + 1)),
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
  let at = start
  let lines = 0
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r' || (text[at] === '\n' && lines === 0)) {
    if (text[at] === '\n') lines += 1
    at += 1
  }
  return at
}

function titleEnd(text: string, at: number): number | undefined {
  const closing = { '"': '"', "'": "'", '(': ')' }[text[at] ?? '']
  if (closing === undefined) return undefined
  const end = text.slice(at + 1, at + 1 + maxTarget).indexOf(closing)
  return end < 0 ? undefined : at + end + 2
}

function headingsAndBlocks(
  lines: readonly string[],
  markdownBlocks: readonly MarkdownBlock[],
  hidden: readonly Range[],
) {
  const headings: Heading[] = []
  const blocks: Block[] = []
  let skip = 0
  /** 1-based line of the last non-property line: the block that a following `id::` names. */
  let owner = 1
  const outside = markdownBlocks.filter((one) => one.kind === 'heading').filter((one) => !isQuoted(one))
  const headingAt = new Map(outside.map((heading) => [heading.from, heading]))
  let next = 0
  for (const [index, line] of lines.entries()) {
    const start = next
    next += line.length + 1
    while ((hidden[skip]?.to ?? Infinity) <= start) skip += 1
    const range = hidden[skip]
    if ((range && range.from <= start && range.to >= start + line.length) || line.length > maxLine) continue
    const heading = headingAt.get(index)
    if (heading)
      headings.push({
        title: heading.title.replace(/\s\^[A-Za-z\d-]+$/, '').trimEnd(),
        level: heading.level,
        line: index + 1,
      })
    const id = /(?:^|\s)\^([A-Za-z\d-]+)\s*$/.exec(line.slice(-200))?.[1]
    if (id !== undefined) blocks.push({ id, line: index + 1 })
    const uuid = /^\s*id::\s+([\da-f-]{36})\s*$/.exec(line.slice(0, 200))?.[1]
    if (uuid !== undefined) blocks.push({ id: uuid, line: owner })
    else if (!/^\s*[\w.-]+::(?:\s|$)/.test(line.slice(0, 200))) owner = index + 1
  }
  return { headings, blocks }
}

function isQuoted({ parent }: Pick<Container, 'parent'>): boolean {
  return parent !== undefined && (parent.kind === 'quote' || isQuoted(parent))
}
