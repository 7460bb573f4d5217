import { parseProperties, tagKey } from './parse-properties.ts'
import type { Edit } from '../links/rewrite-links.ts'
import type { NoteProperties } from './front-matter.ts'

export type PropertyTest =
  | { readonly kind: 'any' }
  | { readonly kind: 'is'; readonly key: string }
  | { readonly kind: 'like'; readonly pattern: RegExp }
  | { readonly kind: 'order'; readonly sign: '<' | '<=' | '>' | '>='; readonly than: string }

const comparable = /^-?\d+(?:\.\d+)?$|^\d{4}-\d{2}(?:-\d{2}(?:[t ][\d:.z+-]*)?)?$/

/** Parses `>=2024-05` or `draft*`. @returns undefined if the condition is empty or its bound is invalid */
export function parsePropertyTest(condition: string): PropertyTest | undefined {
  const normalized = tagKey(condition.replace(/^\[\[(.*)\]\]$/, '$1')).trim()
  if (normalized === '') return undefined
  if (normalized === '*') return { kind: 'any' }
  // Obsidian: an existing property without a value.
  if (normalized === 'null') return { kind: 'is', key: '' }
  const [, sign, than = ''] = /^(<=|>=|<|>)\s*(.*)$/.exec(normalized) ?? []
  if (sign === '<' || sign === '<=' || sign === '>' || sign === '>=')
    return comparable.test(than) ? { kind: 'order', sign, than } : undefined
  if (!normalized.includes('*')) return { kind: 'is', key: normalized }
  const pieces = normalized.split(/\*+/).map((piece) => RegExp.escape(piece))
  return { kind: 'like', pattern: new RegExp(`^${pieces.join('.*')}$`, 'su') }
}

export function testValue(test: PropertyTest, value: string): boolean {
  const key = tagKey(value).trim()
  switch (test.kind) {
    case 'any':
      return true
    case 'is':
      // A year or month matches all of its days.
      return key === test.key || (/^\d{4}(?:-\d{2})?$/.test(test.key) && isDay(key) && key.startsWith(`${test.key}-`))
    case 'like':
      return test.pattern.test(key)
    case 'order':
      return isOrdered(key, test)
  }
}

/** Returns true if a tag equals another one or is nested below it. @param key normalized key of the other tag */
export function isUnderTag(name: string, key: string): boolean {
  const tag = tagKey(name)
  return tag === key || tag.startsWith(`${key}/`)
}

/** Returns true if `#name` parses as exactly this tag. */
export function isTagName(name: string): boolean {
  const { tags } = parseProperties(`#${name}`)
  return tags[0]?.name === name && tags[0].place?.from === 1
}

function isOrdered(key: string, { sign, than }: { sign: string; than: string }): boolean {
  if (!comparable.test(key) || isDay(key) !== isDay(than)) return false
  // Compares dates only to the precision of `than`.
  const value = isDay(key) ? key.slice(0, than.length) : Number(key)
  const bound = isDay(than) ? than : Number(than)
  if (value === bound) return sign === '<=' || sign === '>='
  return sign.startsWith('<') ? value < bound : value > bound
}

function isDay(key: string): boolean {
  return /^\d{4}-\d{2}/.test(key)
}

export interface TagRename {
  readonly from: string
  readonly to: string
}

/** Renames nested tags, too. @returns `left`: 1-based lines with occurrences that cannot be rewritten */
export function renameTag({ tags }: Pick<NoteProperties, 'tags'>, { from, to }: TagRename) {
  const key = tagKey(from)
  const depth = from.split('/').length
  const edits: Edit[] = []
  const unchangedLines: number[] = []
  for (const { name, place, line } of tags) {
    if (!isUnderTag(name, key)) continue
    const text = [to, ...name.split('/').slice(depth)].join('/')
    if (!place) unchangedLines.push(line)
    else if (text !== name) edits.push({ ...place, text })
  }
  const sorted = edits.sort((one, other) => one.from - other.from)
  // An anchored value can be reached through several YAML aliases.
  return { edits: sorted.filter(({ from }, index) => from !== sorted[index - 1]?.from), left: unchangedLines }
}
