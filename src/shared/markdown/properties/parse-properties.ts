/**
 * Parses the properties (front matter; `key:: value` of Logseq and Dataview), tags (`#tag`, `#[[several words]]`,
 * `tags`) and names of a note. The rules and their origins are described in docs/guide/links.md. Linear time.
 */
import { frontMatterEnd } from '../blocks/front-matter.ts'
import { hiddenRanges, rangeFinder, type Range } from '../links/hidden-text.ts'
import {
  maxFrontMatter,
  readFrontMatter,
  type Entry,
  type NoteProperties,
  type Property,
  type Tag,
} from './front-matter.ts'

const maxProperties = 300
const maxTags = 2000
const displayLimits = { properties: maxProperties, tags: maxTags, frontMatter: maxFrontMatter }
/** Limits for rewriting: the result is partial only if the front matter exceeds 250,000 characters. */
export const rewriteLimits = { properties: Infinity, tags: Infinity, frontMatter: 250_000 }
const maxValue = 1000
const maxNames = 100
const maxName = 300

const internalProperties = /^(?:id|collapsed|heading|ls-type|query-.*|hl-.*|logseq\..*)$/

const letter = '[\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F\\u200D_/-]'
/** Skips links. A tag must be at the start of a line, or follow a space or CJK punctuation. */
const inlineTag = new RegExp(
  `\\[\\[[^[\\]\\n]*\\]\\]|(?<=^|[\\s，。、；：！？（「『【《])#(?:\\[\\[(?<words>[^[\\]\\n]+)\\]\\]|(?<word>${letter}+))`,
  'gmu',
)
const lineProperty = /^[\t ]*(?:[-*+][\t ]+)?([\p{L}_][\p{L}\p{N}_.*+!?$%&=/-]*)::(?:[\t ]+([^\n]*?))?[\t ]*\r?$/gmu

/** Parses a note. @param limits `rewriteLimits` to find all tags */
export function parseProperties(text: string, limits = displayLimits): NoteProperties {
  const matterEnd = frontMatterEnd(text)
  const { entries } = readFrontMatter(text, limits.frontMatter)
  const hasColons = text.includes('::', matterEnd)
  const hasHashes = text.includes('#', matterEnd)
  const hidden = hasColons || hasHashes ? hiddenRanges(text) : []
  const lineProperties = hasColons ? lineEntries(text, matterEnd, hidden, limits.properties) : []
  const topProperties = entries.map((entry) => ({ ...entry, values: entry.values.map(withoutLinkBrackets) }))
  const allProperties = [...topProperties, ...lineProperties]
  const textTags = hasHashes ? inlineTags(text, matterEnd, hidden, limits.tags + 1) : []
  const lineAt = lineCounter(text)
  const tags = [
    ...allProperties.filter(isTagProperty).flatMap((entry) => tagsOfEntry(text, entry, lineAt)),
    ...outsideRanges(textTags, lineProperties.filter(isTagProperty)),
  ].toSorted((one, other) => one.line - other.line)
  const hasMoreTags = tags.length > limits.tags
  return {
    properties: allProperties.slice(0, maxProperties).map(({ name, values: raw, isList, isTop, line }) => {
      const values = raw.map((value) => value.slice(0, maxValue).toWellFormed())
      return { name, values, isList, isTop, line }
    }),
    tags: hasMoreTags ? tags.slice(0, limits.tags) : tags,
    isPartial: hasMoreTags || lineProperties.length >= limits.properties || matterEnd > limits.frontMatter,
  }
}

/** Returns the tags outside `excluded`, the ranges of tag properties. Both are in text order. */
function outsideRanges(tags: readonly Tag[], excluded: readonly Range[]): Tag[] {
  let index = 0
  return tags.filter(({ place }) => {
    const { from, to } = place ?? { from: 0, to: 0 }
    while ((excluded[index]?.to ?? Infinity) < to) index += 1
    return from < (excluded[index]?.from ?? Infinity)
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
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== '' && name.length <= maxName)
  return [...new Set(trimmed)].slice(0, maxNames)
}

/** Returns the comparison key of a property name: ignores case and, like Logseq, treats `_` as `-`. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll('_', '-')
}

export function tagKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** Returns a function from offset to 1-based line; fast if each offset is near the previous one. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let lastOffset = 0
  return (offset) => {
    const [from, to] = offset < lastOffset ? [offset, lastOffset] : [lastOffset, offset]
    let breaks = 0
    for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) breaks += 1
    line += offset < lastOffset ? -breaks : breaks
    lastOffset = offset
    return line
  }
}

function lineEntries(text: string, from: number, hidden: readonly Range[], limit: number): Entry[] {
  const lineAt = lineCounter(text)
  const hiddenAt = rangeFinder(hidden)
  const entries: Entry[] = []
  let topEnd = from
  lineProperty.lastIndex = from
  for (let match = lineProperty.exec(text); match; match = lineProperty.exec(text)) {
    const { 0: propertyLine, 1: name = '', 2: value = '', index } = match
    const start = index + propertyLine.indexOf(name)
    if (hiddenAt(start) || internalProperties.test(nameKey(name))) continue
    const valueStart = start + name.length + 2
    const isTop = /^[\s-]*$/.test(text.slice(topEnd, index))
    if (isTop) topEnd = index + propertyLine.length
    const place = { line: lineAt(start), from: valueStart, to: index + propertyLine.length }
    entries.push({ name, ...lineValues(name, value), ...place, isTop, isScalar: true })
    if (entries.length >= limit) break
  }
  return entries
}

/** Commas separate `tags` and `alias`; elsewhere links or tags are a list if no other text is between them. */
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

/** List items are tags as a whole (Logseq's may contain spaces); plain text is split at commas and spaces. */
function tagsOfEntry(text: string, entry: Entry, lineAt: (offset: number) => number): Tag[] {
  const { values, isList, valueRanges } = entry
  const tags: Tag[] = []
  let offset = entry.from
  for (const [index, value] of values.entries()) {
    const { from, to } = valueRanges?.[index] ?? { from: offset, to: entry.to }
    offset = from
    for (const part of isList ? [value] : value.split(/[\s,，]+/)) {
      const name = withoutLinkBrackets(part).replace(/^#/, '')
      if (!isTag(name)) continue
      const match = new RegExp(`(?<!${letter})${RegExp.escape(name)}(?!${letter})`, 'u').exec(text.slice(offset, to))
      const start = offset + (match?.index ?? 0)
      tags.push({ name, line: lineAt(start), place: match ? { from: start, to: start + name.length } : null })
      if (match) offset = start + name.length
    }
  }
  return tags
}

function inlineTags(text: string, from: number, hidden: readonly Range[], limit: number): Tag[] {
  const lineAt = lineCounter(text)
  const hiddenAt = rangeFinder(hidden)
  const tags: Tag[] = []
  inlineTag.lastIndex = from
  for (let match = inlineTag.exec(text); match && tags.length < limit; match = inlineTag.exec(text)) {
    const { words, word } = match.groups ?? {}
    const name = words?.trim() ?? word?.replace(/\/+$/, '') ?? ''
    if (!isTag(name) || hiddenAt(match.index)) continue
    const start = text.indexOf(name, match.index)
    tags.push({ name, line: lineAt(match.index), place: { from: start, to: start + name.length } })
  }
  return tags
}

/** Splits a text into tags (without `#`) and the text between them. The text must not contain code or comments. */
export function splitTags(text: string): (string | { readonly tag: string })[] {
  if (!text.includes('#')) return [text]
  const parts: (string | { readonly tag: string })[] = []
  let from = 0
  for (const { place } of inlineTags(text, 0, [], maxTags)) {
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
