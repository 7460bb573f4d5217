/**
 * Parses the properties (front matter; `key:: value` of Logseq and Dataview), tags (`#tag`, `#[[several words]]`,
 * `tags`) and names of a note. The rules and their origins are described in docs/guide/links.md. Linear time.
 */
import { frontMatterEnd } from '../blocks/front-matter.ts'
import { hiddenRanges, type Range } from '../links/hidden-text.ts'
import { frontMatterEntries, maxFrontMatter, type Entry } from './front-matter.ts'
import type { NoteProperties, Property, Tag } from './property.ts'

const maxProperties = 300
const maxTags = 2000
/** Limits for display and search (`displayLimits`), and for rewriting (`whole`). */
const displayLimits = { properties: maxProperties, tags: maxTags, frontMatter: maxFrontMatter }
const whole = { properties: Infinity, tags: Infinity, frontMatter: 250_000 }
const maxValue = 1000
const maxNames = 100
const maxName = 300

const ownOfPrograms = /^(?:id|collapsed|heading|ls-type|query-.*|hl-.*|logseq\..*)$/

const letter = '[\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F\\u200D_/-]'
/** Skips links. A tag must be at the start of a line, or follow a space or CJK punctuation. */
const inlineTag = new RegExp(
  `\\[\\[[^[\\]\\n]*\\]\\]|(?<=^|[\\s，。、；：！？（「『【《])#(?:\\[\\[(?<words>[^[\\]\\n]+)\\]\\]|(?<word>${letter}+))`,
  'gmu',
)
const lineProperty = /^[\t ]*(?:[-*+][\t ]+)?([\p{L}_][\p{L}\p{N}_.*+!?$%&=/-]*)::(?:[\t ]+([^\n]*?))?[\t ]*\r?$/gmu

/** Parses a note within the limits for display and search. */
export function parseProperties(text: string): NoteProperties {
  return parseUpTo(text, displayLimits)
}

/** Parses a note without limits on tags, for rewriting; partial only if the front matter exceeds 250,000 characters. */
export function parseAllTags(text: string): NoteProperties {
  return parseUpTo(text, whole)
}

function parseUpTo(text: string, most: typeof displayLimits): NoteProperties {
  const matterEnd = frontMatterEnd(text)
  const entries = frontMatterEntries(text, most.frontMatter)
  const hasLines = text.includes('::', matterEnd)
  const hasTags = text.includes('#', matterEnd)
  const locator = hasLines || hasTags ? new LineLocator(text, hiddenRanges(text)) : undefined
  const lines = locator && hasLines ? lineEntries(text, matterEnd, locator, most.properties) : []
  const linked = entries.map((one) => ({ ...one, values: one.values.map(withoutLinkBrackets) }))
  const all = [...linked, ...lines]
  const inline = locator && hasTags ? inlineTags(text, matterEnd, locator, most.tags + 1) : []
  const lineAt = lineCounter(text)
  const tags = [
    ...all.filter(isTagProperty).flatMap((one) => tagsOfEntry(text, one, lineAt)),
    ...outsideRanges(inline, lines.filter(isTagProperty)),
  ].toSorted((one, other) => one.line - other.line)
  return {
    properties: all.slice(0, maxProperties).map(({ name, values, isList, isTop, line }) => ({
      name,
      values: values.map((value) => value.slice(0, maxValue).toWellFormed()),
      isList,
      isTop,
      line,
    })),
    tags: tags.length > most.tags ? tags.slice(0, most.tags) : tags,
    isPartial: tags.length > most.tags || lines.length >= most.properties || matterEnd > most.frontMatter,
  }
}

/** Returns the tags outside `taken`, the ranges of tag properties. Both are in text order. */
function outsideRanges(tags: readonly Tag[], taken: readonly Range[]): Tag[] {
  let at = 0
  return tags.filter(({ place }) => {
    const { from, to } = place ?? { from: 0, to: 0 }
    while ((taken[at]?.to ?? Infinity) < to) at += 1
    return from < (taken[at]?.from ?? Infinity)
  })
}

/** Returns the names of a note besides its path (`title`, `alias`, `aliases`) as written, without duplicates. */
export function namesOf({ properties }: Pick<NoteProperties, 'properties'>): string[] {
  const names = properties.flatMap(({ name, values, isList, isTop }) => {
    const key = isTop ? nameKey(name) : ''
    if (key === 'title') return values.slice(0, 1)
    if (key !== 'alias' && key !== 'aliases') return []
    return isList ? values : values.flatMap((value) => value.split(/[,，]/))
  })
  const told = names.map((name) => name.trim()).filter((name) => name !== '' && name.length <= maxName)
  return [...new Set(told)].slice(0, maxNames)
}

/** Returns the comparison key of a property name: ignores case and, like Logseq, treats `_` as `-`. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll('_', '-')
}

/** Returns the comparison key of a tag name. */
export function tagKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** Maps offsets to lines for callers that scan forward. */
class LineLocator {
  readonly #text: string
  readonly #hidden: readonly Range[]

  constructor(text: string, hidden: readonly Range[]) {
    this.#text = text
    this.#hidden = hidden
  }

  /** Returns a function from offset to 1-based line, undefined in hidden text. Offsets must be ascending. */
  lines(): (at: number) => number | undefined {
    let skip = 0
    let line = 1
    let next = this.#text.indexOf('\n')
    return (at) => {
      for (; next >= 0 && next < at; next = this.#text.indexOf('\n', next + 1)) line += 1
      while ((this.#hidden[skip]?.to ?? Infinity) <= at) skip += 1
      const range = this.#hidden[skip]
      return range && range.from <= at ? undefined : line
    }
  }
}

/** Returns a function from offset to 1-based line; fast if each offset is near the previous one. */
function lineCounter(text: string): (at: number) => number {
  let line = 1
  let counted = 0
  return (at) => {
    const [from, to] = at < counted ? [at, counted] : [counted, at]
    let breaks = 0
    for (let next = text.indexOf('\n', from); next >= 0 && next < to; next = text.indexOf('\n', next + 1)) breaks += 1
    line += at < counted ? -breaks : breaks
    counted = at
    return line
  }
}

function lineEntries(text: string, from: number, locator: LineLocator, most: number): Entry[] {
  const lineAt = locator.lines()
  const entries: Entry[] = []
  let topEnd = from
  lineProperty.lastIndex = from
  for (let found = lineProperty.exec(text); found; found = lineProperty.exec(text)) {
    const { 0: whole, 1: name = '', 2: value = '', index } = found
    const start = index + whole.indexOf(name)
    const line = lineAt(start)
    if (line === undefined || ownOfPrograms.test(nameKey(name))) continue
    const at = start + name.length + 2
    const isTop = /^[\s-]*$/.test(text.slice(topEnd, index))
    if (isTop) topEnd = index + whole.length
    entries.push({ name, ...lineValues(name, value), isTop, line, from: at, to: index + whole.length })
    if (entries.length >= most) break
  }
  return entries
}

/**
 * Commas separate the values of `tags` and `alias`; elsewhere links or tags form a list only if no other text is
 * between them.
 */
function lineValues(name: string, value: string): Pick<Property, 'values' | 'isList'> {
  if (value === '') return { values: [], isList: false }
  const isQuoted = /^".*"$/.test(value)
  const isList =
    /^(?:tags|alias|aliases)$/.test(nameKey(name)) || /^(?:(?:#?\[\[[^\]]+\]\]|#[^\s,]+)(?:[\s,，]+|$))+$/.test(value)
  if (isQuoted || !isList)
    return { values: [isQuoted ? value.slice(1, -1) : withoutLinkBrackets(value)], isList: false }
  const hasCommas = /[,，]/.test(value.replaceAll(/\[\[[^\]]*\]\]/g, ''))
  const parts = value.match(hasCommas ? /(?:\[\[[^\]]*\]\]|[^,，])+/g : /#?\[\[[^\]]*\]\]|#\S+|[^#[]+/g) ?? []
  return { values: parts.map((part) => withoutLinkBrackets(part.trim())).filter((part) => part !== ''), isList: true }
}

function isTagProperty({ name }: Property): boolean {
  return /^tags?$/i.test(name)
}

/**
 * Returns the tags of a `tags` property: list items are tags as a whole (Logseq's may contain spaces); plain text is
 * split at commas and spaces.
 */
function tagsOfEntry(text: string, entry: Entry, lineAt: (at: number) => number): Tag[] {
  const { values, isList, valueRanges } = entry
  const tags: Tag[] = []
  let at = entry.from
  for (const [index, value] of values.entries()) {
    const { from, to } = valueRanges?.[index] ?? { from: at, to: entry.to }
    at = from
    for (const part of isList ? [value] : value.split(/[\s,，]+/)) {
      const name = withoutLinkBrackets(part).replace(/^#/, '')
      if (!isTag(name)) continue
      const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const found = new RegExp(`(?<!${letter})${literal}(?!${letter})`, 'u').exec(text.slice(at, to))
      const start = at + (found?.index ?? 0)
      tags.push({ name, line: lineAt(start), place: found ? { from: start, to: start + name.length } : null })
      if (found) at = start + name.length
    }
  }
  return tags
}

function inlineTags(text: string, from: number, locator: LineLocator, most: number): Tag[] {
  const lineAt = locator.lines()
  const tags: Tag[] = []
  inlineTag.lastIndex = from
  for (let found = inlineTag.exec(text); found && tags.length < most; found = inlineTag.exec(text)) {
    const { words, word } = found.groups ?? {}
    const name = words?.trim() ?? word?.replace(/\/+$/, '') ?? ''
    if (!isTag(name)) continue
    const line = lineAt(found.index)
    if (line === undefined) continue
    const at = text.indexOf(name, found.index)
    tags.push({ name, line, place: { from: at, to: at + name.length } })
  }
  return tags
}

/** Splits a text into tags (without `#`) and the text between them. The text must not contain code or comments. */
export function splitTags(text: string): (string | { readonly tag: string })[] {
  if (!text.includes('#')) return [text]
  const parts: (string | { readonly tag: string })[] = []
  let from = 0
  for (const { place } of inlineTags(text, 0, new LineLocator(text, []), maxTags)) {
    if (!place || text[place.from - 1] !== '#') continue
    if (place.from - 1 > from) parts.push(text.slice(from, place.from - 1))
    parts.push({ tag: text.slice(place.from, place.to) })
    from = place.to
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Rejects numbers (as Obsidian does) and hex colors such as `#a1b2c3` and `#fff`. */
function isTag(name: string): boolean {
  if (name === '' || name.length > maxName || name.startsWith('/') || name.includes('//')) return false
  if (!/[\p{L}\p{Extended_Pictographic}_]/u.test(name)) return false
  const isHex = /^(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(name)
  return !isHex || !(/\d/.test(name) || /^(.)\1+$/i.test(name))
}

/** Extracts the note from `[[Note|label]]`; other values are unchanged. */
function withoutLinkBrackets(value: string): string {
  const [, target] = /^#?\[\[([^\]|]+)(?:\|[^\]]*)?\]\]$/.exec(value.trim()) ?? []
  return target ?? value
}
