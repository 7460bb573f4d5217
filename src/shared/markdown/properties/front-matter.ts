/**
 * The properties that stand in the front matter of a note, as YAML, read key by key: a mistake in one takes no other
 * away. What only the whole of it says (a map in braces, aliases of what stands elsewhere) is read as one document.
 * Scalars stay as they are written (`1.10`, `2024-05-01`, `yes`). Pure.
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

/** Looked at up to here, in characters. */
export const maxFrontMatter = 64_000
/** Of lists and maps as text, in characters: few aliases can stand for more than fits anywhere. */
const maxCopied = 1_000_000
const maxAliases = 100

const entry =
  /^(?<key>[^\s#\-"'[\]{},&*!|>%@`:][^\n:]*?|"[^"\n]+"|'[^'\n]+')[\t ]*:(?=\s|$)[^\n]*(?:\n(?:[\t ]|-[\t ]|-?\r?$)[^\n]*)*/gm
/** What YAML takes as it stands. */
const plainValue =
  /^[\t ]*([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_/.,;()!?+%'-]|[ :](?=[\p{L}\p{M}\p{N}_/.(-])|&)*)[\t ]*\r?\n?$/u

export interface Entry extends Property {
  /** Offsets of what stands behind the key's colon. */
  readonly from: number
  readonly to: number
  /** Where each of the values stands, if that is known: what an alias names, elsewhere. */
  readonly stands?: readonly Range[]
}

type Values = Pick<Entry, 'values' | 'isList' | 'stands'>

export function frontMatterEntries(text: string, most = maxFrontMatter): Entry[] {
  const end = frontMatterEnd(text)
  if (end === 0) return []
  const matter = text.slice(0, Math.min(end, most)).replace(/\r?\n(?:---|\.\.\.)[\t ]*\r?\n?$/, '\n')
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
    isWhole &&= saysNothing(matter.slice(read, index))
    read = index + part.length
    const colon = part.indexOf(':', written.length)
    const values = valuesOf(part, part.slice(colon + 1), index)
    if (!values) isWhole = false
    const name = written.replace(/^(["'])(.*)\1$/, '$2').trim()
    if (values) entries.push({ name, ...values, isTop: true, line, from: index + colon + 1, to: read })
  }
  isWhole &&= saysNothing(matter.slice(read))
  return (isWhole ? undefined : documentEntries(matter)) ?? entries
}

function saysNothing(between: string): boolean {
  return between.split('\n').every((line) => /^\s*(?:#|$)/.test(line))
}

/** @param at where the part stands */
function valuesOf(part: string, rest: string, at: number): Values | undefined {
  const plain = plainValue.exec(rest)?.[1]
  if (plain !== undefined && !/^(?:null|true|false)$/i.test(plain)) return { values: [plain], isList: false }
  const read = readYaml(part)
  const value = read?.map.items[0]?.value
  return read && new Reader(read.document, part, at).values(isNode(value) ? value : null)
}

/** All of it as one map; undefined where it is none, or is broken. */
function documentEntries(matter: string): Entry[] | undefined {
  // What opens front matter is left out, and all else keeps its place.
  const text = matter.replace(/^[^\n]*/, (line) => ' '.repeat(line.length))
  const read = readYaml(text)
  if (!read) return undefined
  const reader = new Reader(read.document, text, 0)
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

class Reader {
  readonly #document: Document.Parsed
  readonly #text: string
  readonly #at: number
  /** What each alias stands for: the last one before it that is called so. */
  readonly #meant = new Map<Node, Node>()
  #copied = 0

  /** @param at where the text stands in the note */
  constructor(document: Document.Parsed, text: string, at: number) {
    this.#document = document
    this.#text = text
    this.#at = at
    const named = new Map<string, Node>()
    visit(document, {
      Node: (_, node) => {
        if (isAlias(node)) {
          const meant = named.get(node.source)
          if (meant) this.#meant.set(node, meant)
        } else if (node.anchor !== undefined) named.set(node.anchor, node)
      },
    })
  }

  /** Those that `<<` takes over too, each map once. @returns with the offset of each key */
  entries(map: YAMLMap, merged = new Set<YAMLMap>([map])): (Omit<Entry, 'line'> & { at: number })[] {
    return map.items.flatMap(({ key, value }) => {
      const said = isNode(key) ? this.#meaning(key) : undefined
      if (!isScalar(said) || typeof said.value !== 'string') return []
      const name = said.value.trim()
      const node = isNode(value) ? value : null
      const meant = node && this.#meaning(node)
      if (name === '<<') {
        const maps = (isSeq(meant) ? meant.items : [meant]).map((one) => isNode(one) && this.#meaning(one))
        return maps.flatMap((one) => {
          if (!isMap(one) || merged.has(one)) return []
          merged.add(one)
          return this.entries(one, merged)
        })
      }
      const values = this.values(node)
      const at = (isNode(key) ? key.range?.[0] : undefined) ?? 0
      return values && name !== '' ? [{ name, ...values, isTop: true, at, ...this.#place(node ?? said) }] : []
    })
  }

  /** Undefined where an alias stands for nothing. */
  values(node: Node | null): Values | undefined {
    const meant = node && this.#meaning(node)
    if (meant === undefined) return undefined
    const isList = isSeq(meant)
    const items = isList ? meant.items : meant ? [meant] : []
    const values: string[] = []
    const stands: Range[] = []
    for (const item of items) {
      if (!isNode(item)) continue
      const one = this.#meaning(item)
      if (!one) return undefined
      const text = this.#textOf(one)
      if (text === '') continue
      values.push(text)
      stands.push(this.#place(one))
    }
    return { values, isList, stands }
  }

  #meaning(node: Node): Node | undefined {
    return isAlias(node) ? this.#meant.get(node) : node
  }

  /** Empty for what says nothing, or too much to be told. */
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

  /** Of what it says, in the note. */
  #place(node: Node): Range {
    const [from = 0, to = from] = node.range ?? []
    // What stands behind `|` and `>` is no part of the text.
    const isBlock = isScalar(node) && /^[|>]/.test(this.#text.slice(from, from + 1))
    const start = isBlock ? this.#text.indexOf('\n', from) : from
    return { from: this.#at + Math.max(start, from), to: this.#at + to }
  }
}
