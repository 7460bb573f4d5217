import type { Range } from '../links/hidden-text.ts'
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml'
import { frontMatterEnd } from '../blocks/front-matter.ts'

export interface Property {
  readonly name: string
  /** Raw values without link brackets; empty if the property has no value. */
  readonly values: readonly string[]
  readonly isList: boolean
  /** True if the property applies to the whole note: front matter or leading lines; false for a property of a block. */
  readonly isTop: boolean
  /** 1-based. */
  readonly line: number
}

export interface Tag {
  readonly name: string
  /** 1-based. */
  readonly line: number
  /** UTF-16 offsets of the name; null if the source differs from the name (`"a\u0062"`). */
  readonly place: Range | null
}

export interface NoteProperties {
  readonly properties: readonly Property[]
  readonly tags: readonly Tag[]
  /** True if the note has, or may have, more tags than listed. */
  readonly isPartial: boolean
}

/**
 * Parses front matter properties as YAML, key by key, so that an error in one key does not affect others. Falls back to
 * parsing the whole document for flow maps and for aliases across keys. Scalars stay as written (`1.10`, `2024-05-01`,
 * `yes`).
 */

export const maxFrontMatter = 64_000
/** Characters of lists and maps converted to text. Bounds YAML alias expansion. */
const maxCopied = 1_000_000
const maxAliases = 100

const entryPattern =
  /^(?<key>[^\s#\-"'[\]{},&*!|>%@`:][^\n:]*?|"[^"\n]+"|'[^'\n]+')[\t ]*:(?=\s|$)[^\n]*(?:\n(?:[\t ]|-[\t ]|-?\r?$)[^\n]*)*/gm
const plainValue =
  /^[\t ]*([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_/.,;()!?+%'-]|[ :](?=[\p{L}\p{M}\p{N}_/.(-])|&)*)[\t ]*\r?\n?$/u

export interface Entry extends Property {
  /** UTF-16 offsets of the part after the key's colon. */
  readonly from: number
  readonly to: number
  /** Offsets of each value, if known; for an alias, those of its anchor. */
  readonly valueRanges?: readonly Range[]
  /** False if a value is a list in a list, or a map. */
  readonly isScalar: boolean
}

type Values = Pick<Entry, 'values' | 'isList' | 'valueRanges' | 'isScalar'>

/** @returns `isComplete`: false if a part of the front matter is no valid entry */
export function readFrontMatter(text: string, maxLength = maxFrontMatter): { entries: Entry[]; isComplete: boolean } {
  const end = frontMatterEnd(text)
  if (end === 0) return { entries: [], isComplete: true }
  const matter = text.slice(0, Math.min(end, maxLength)).replace(/\r?\n(?:---|\.\.\.)[\t ]*\r?\n?$/, '\n')
  const entries: Entry[] = []
  let line = 1
  let parsedEnd = matter.indexOf('\n') + 1
  let lastIndex = 0
  let coversAll = true
  for (const match of matter.matchAll(entryPattern)) {
    const { 0: text, index } = match
    const rawKey = match.groups?.['key'] ?? ''
    line += matter.slice(lastIndex, index).split('\n').length - 1
    lastIndex = index
    coversAll &&= isBlankOrComment(matter.slice(parsedEnd, index))
    parsedEnd = index + text.length
    const colon = text.indexOf(':', rawKey.length)
    const values = valuesOf(text, text.slice(colon + 1), index)
    if (!values) coversAll = false
    const name = rawKey.replace(/^(["'])(.*)\1$/, '$2').trim()
    if (values) entries.push({ name, ...values, isTop: true, line, from: index + colon + 1, to: parsedEnd })
  }
  coversAll &&= isBlankOrComment(matter.slice(parsedEnd))
  const allEntries = coversAll ? entries : documentEntries(matter)
  return { entries: allEntries ?? entries, isComplete: allEntries !== undefined }
}

function isBlankOrComment(between: string): boolean {
  return between.split('\n').every((line) => /^\s*(?:#|$)/.test(line))
}

/** @param offset of the entry in the note */
function valuesOf(entryText: string, valueText: string, offset: number): Values | undefined {
  const plain = plainValue.exec(valueText)?.[1]
  if (plain !== undefined && !/^(?:null|true|false)$/i.test(plain))
    return { values: [plain], isList: false, isScalar: true }
  const parsed = readYaml(entryText)
  const value = parsed?.map.items[0]?.value
  return parsed && new YamlReader(parsed.document, entryText, offset).values(isNode(value) ? value : null)
}

/** Parses the front matter as one map; undefined if it is invalid or not a map. */
function documentEntries(matter: string): Entry[] | undefined {
  // Blanks the opening delimiter so that offsets stay valid.
  const text = matter.replace(/^[^\n]*/, (line) => ' '.repeat(line.length))
  const parsed = readYaml(text)
  if (!parsed) return undefined
  const reader = new YamlReader(parsed.document, text, 0)
  const entries = reader.entries(parsed.map)
  return entries.map(({ keyAt, ...entry }) => ({ ...entry, line: matter.slice(0, keyAt).split('\n').length }))
}

function readYaml(text: string): { document: Document.Parsed; map: YAMLMap } | undefined {
  try {
    const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' })
    const map: unknown = document.contents
    return document.errors.length === 0 && isMap(map) ? { document, map } : undefined
  } catch {
    return undefined
  }
}

class YamlReader {
  readonly #document: Document.Parsed
  readonly #text: string
  readonly #offset: number
  /** Target of each alias: the last preceding anchor of that name. */
  readonly #aliasTargets = new Map<Node, Node>()
  #copiedCharacters = 0

  /** @param offset of the text in the note */
  constructor(document: Document.Parsed, text: string, offset: number) {
    this.#document = document
    this.#text = text
    this.#offset = offset
    const anchors = new Map<string, Node>()
    visit(document, {
      Node: (_, node) => {
        if (isAlias(node)) {
          const target = anchors.get(node.source)
          if (target) this.#aliasTargets.set(node, target)
        } else if (node.anchor !== undefined) anchors.set(node.anchor, node)
      },
    })
  }

  /** Returns the entries of a map, including those merged with `<<`, each map once; `keyAt` is the offset of the key. */
  entries(map: YAMLMap, seenMaps = new Set<YAMLMap>([map])): (Omit<Entry, 'line'> & { keyAt: number })[] {
    return map.items.flatMap(({ key, value }) => {
      const resolvedKey = isNode(key) ? this.#resolveAlias(key) : undefined
      if (!isScalar(resolvedKey) || typeof resolvedKey.value !== 'string') return []
      const name = resolvedKey.value.trim()
      const node = isNode(value) ? value : null
      const target = node && this.#resolveAlias(node)
      if (name === '<<') {
        const maps = (isSeq(target) ? target.items : [target]).map((item) => isNode(item) && this.#resolveAlias(item))
        return maps.flatMap((mergedMap) => {
          if (!isMap(mergedMap) || seenMaps.has(mergedMap)) return []
          seenMaps.add(mergedMap)
          return this.entries(mergedMap, seenMaps)
        })
      }
      const values = this.values(node)
      const keyAt = (isNode(key) ? key.range?.[0] : undefined) ?? 0
      return values && name !== ''
        ? [{ name, ...values, isTop: true, keyAt, ...this.#rangeOf(node ?? resolvedKey) }]
        : []
    })
  }

  /** Returns undefined if an alias has no anchor. */
  values(node: Node | null): Values | undefined {
    const target = node && this.#resolveAlias(node)
    if (target === undefined) return undefined
    const isList = isSeq(target)
    const items = isList ? target.items : target ? [target] : []
    const values: string[] = []
    const valueRanges: Range[] = []
    for (const item of items) {
      if (!isNode(item)) continue
      const resolved = this.#resolveAlias(item)
      if (!resolved) return undefined
      const text = this.#textOf(resolved)
      if (text === '') continue
      values.push(text)
      valueRanges.push(this.#rangeOf(resolved))
    }
    const isScalarOnly = items.every(
      (item) => item === null || isScalar(isNode(item) ? this.#resolveAlias(item) : item),
    )
    return { values, isList, valueRanges, isScalar: isScalarOnly }
  }

  #resolveAlias(node: Node): Node | undefined {
    return isAlias(node) ? this.#aliasTargets.get(node) : node
  }

  /** Returns the value as text; empty for null and for values over the size limit. */
  #textOf(node: Node): string {
    if (isScalar(node)) {
      const text = typeof node.value === 'string' ? node.value.trim() : ''
      return /^(?:null|~)$/i.test(text) ? '' : text
    }
    if (this.#copiedCharacters > maxCopied) return ''
    try {
      const text = JSON.stringify(node.toJS(this.#document, { maxAliasCount: maxAliases }))
      this.#copiedCharacters += text.length
      return text
    } catch {
      return ''
    }
  }

  #rangeOf(node: Node): Range {
    const [from = 0, to = from] = node.range ?? []
    // Excludes the `|` or `>` indicator.
    const isBlock = isScalar(node) && /^[|>]/.test(this.#text.slice(from, from + 1))
    const start = isBlock ? this.#text.indexOf('\n', from) : from
    return { from: this.#offset + Math.max(start, from), to: this.#offset + to }
  }
}
