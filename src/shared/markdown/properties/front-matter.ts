/**
 * Parses front matter properties as YAML, key by key, so that an error in one key does not affect others. Falls back to
 * parsing the whole document for flow maps and for aliases across keys. Scalars stay as written (`1.10`, `2024-05-01`,
 * `yes`).
 */
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
import { type Range } from '../links/hidden-text.ts'
import type { Property } from './property.ts'

/** Characters of front matter to parse. */
export const maxFrontMatter = 64_000
/** Characters of lists and maps converted to text. Bounds YAML alias expansion. */
const maxCopied = 1_000_000
const maxAliases = 100

const entry =
  /^(?<key>[^\s#\-"'[\]{},&*!|>%@`:][^\n:]*?|"[^"\n]+"|'[^'\n]+')[\t ]*:(?=\s|$)[^\n]*(?:\n(?:[\t ]|-[\t ]|-?\r?$)[^\n]*)*/gm
/** A plain scalar that needs no YAML parser. */
const plainValue =
  /^[\t ]*([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_/.,;()!?+%'-]|[ :](?=[\p{L}\p{M}\p{N}_/.(-])|&)*)[\t ]*\r?\n?$/u

export interface Entry extends Property {
  /** UTF-16 offsets of the part after the key's colon. */
  readonly from: number
  readonly to: number
  /** Offsets of each value, if known; for an alias, those of its anchor. */
  readonly valueRanges?: readonly Range[]
}

type Values = Pick<Entry, 'values' | 'isList' | 'valueRanges'>

/**
 * Returns the entries in text order; empty if there is no front matter.
 * @param maxLength maximum number of characters to parse
 */
export function frontMatterEntries(text: string, maxLength = maxFrontMatter): Entry[] {
  const end = frontMatterEnd(text)
  if (end === 0) return []
  const matter = text.slice(0, Math.min(end, maxLength)).replace(/\r?\n(?:---|\.\.\.)[\t ]*\r?\n?$/, '\n')
  const entries: Entry[] = []
  let line = 1
  let read = matter.indexOf('\n') + 1
  let counted = 0
  let isWhole = true
  for (const found of matter.matchAll(entry)) {
    const { 0: part, index } = found
    const written = found.groups?.['key'] ?? ''
    for (let at = matter.indexOf('\n', counted); at >= 0 && at < index; at = matter.indexOf('\n', at + 1)) line += 1
    counted = index
    isWhole &&= isBlankOrComment(matter.slice(read, index))
    read = index + part.length
    const colon = part.indexOf(':', written.length)
    const values = valuesOf(part, part.slice(colon + 1), index)
    if (!values) isWhole = false
    const name = written.replace(/^(["'])(.*)\1$/, '$2').trim()
    if (values) entries.push({ name, ...values, isTop: true, line, from: index + colon + 1, to: read })
  }
  isWhole &&= isBlankOrComment(matter.slice(read))
  return (isWhole ? undefined : documentEntries(matter)) ?? entries
}

function isBlankOrComment(between: string): boolean {
  return between.split('\n').every((line) => /^\s*(?:#|$)/.test(line))
}

/** @param at offset of the part in the note */
function valuesOf(part: string, rest: string, at: number): Values | undefined {
  const plain = plainValue.exec(rest)?.[1]
  if (plain !== undefined && !/^(?:null|true|false)$/i.test(plain)) return { values: [plain], isList: false }
  const read = readYaml(part)
  const value = read?.map.items[0]?.value
  return read && new YamlReader(read.document, part, at).values(isNode(value) ? value : null)
}

/** Parses the front matter as one map; undefined if it is invalid or not a map. */
function documentEntries(matter: string): Entry[] | undefined {
  // Blanks the opening delimiter so that offsets stay valid.
  const text = matter.replace(/^[^\n]*/, (line) => ' '.repeat(line.length))
  const read = readYaml(text)
  if (!read) return undefined
  const reader = new YamlReader(read.document, text, 0)
  const entries = reader.entries(read.map)
  return entries.map(({ at, ...one }) => ({ ...one, line: matter.slice(0, at).split('\n').length }))
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
  readonly #at: number
  /** Target of each alias: the last preceding anchor of that name. */
  readonly #aliasTargets = new Map<Node, Node>()
  #copied = 0

  /** @param at offset of the text in the note */
  constructor(document: Document.Parsed, text: string, at: number) {
    this.#document = document
    this.#text = text
    this.#at = at
    const named = new Map<string, Node>()
    visit(document, {
      Node: (_, node) => {
        if (isAlias(node)) {
          const target = named.get(node.source)
          if (target) this.#aliasTargets.set(node, target)
        } else if (node.anchor !== undefined) named.set(node.anchor, node)
      },
    })
  }

  /** Returns the entries of a map, including those merged with `<<`, each map once; `at` is the offset of the key. */
  entries(map: YAMLMap, merged = new Set<YAMLMap>([map])): (Omit<Entry, 'line'> & { at: number })[] {
    return map.items.flatMap(({ key, value }) => {
      const resolvedKey = isNode(key) ? this.#resolveAlias(key) : undefined
      if (!isScalar(resolvedKey) || typeof resolvedKey.value !== 'string') return []
      const name = resolvedKey.value.trim()
      const node = isNode(value) ? value : null
      const target = node && this.#resolveAlias(node)
      if (name === '<<') {
        const maps = (isSeq(target) ? target.items : [target]).map((one) => isNode(one) && this.#resolveAlias(one))
        return maps.flatMap((one) => {
          if (!isMap(one) || merged.has(one)) return []
          merged.add(one)
          return this.entries(one, merged)
        })
      }
      const values = this.values(node)
      const at = (isNode(key) ? key.range?.[0] : undefined) ?? 0
      return values && name !== '' ? [{ name, ...values, isTop: true, at, ...this.#place(node ?? resolvedKey) }] : []
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
      const one = this.#resolveAlias(item)
      if (!one) return undefined
      const text = this.#textOf(one)
      if (text === '') continue
      values.push(text)
      valueRanges.push(this.#place(one))
    }
    return { values, isList, valueRanges }
  }

  #resolveAlias(node: Node): Node | undefined {
    return isAlias(node) ? this.#aliasTargets.get(node) : node
  }

  /** Returns the value as text; empty for null and for values over the size limit. */
  #textOf(node: Node): string {
    if (isScalar(node)) {
      const text = typeof node.value === 'string' ? node.value.trim() : ''
      return text === 'null' || text === '~' ? '' : text
    }
    if (this.#copied > maxCopied) return ''
    try {
      const text = JSON.stringify(node.toJS(this.#document, { maxAliasCount: maxAliases }))
      this.#copied += text.length
      return text
    } catch {
      return ''
    }
  }

  #place(node: Node): Range {
    const [from = 0, to = from] = node.range ?? []
    // Excludes the `|` or `>` indicator.
    const isBlock = isScalar(node) && /^[|>]/.test(this.#text.slice(from, from + 1))
    const start = isBlock ? this.#text.indexOf('\n', from) : from
    return { from: this.#at + Math.max(start, from), to: this.#at + to }
  }
}
