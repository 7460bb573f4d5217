/**
 * The properties that stand in the front matter of a note, as YAML, read key by key: a mistake in one takes no other
 * away. Scalars stay as they are written (`1.10`, `2024-05-01`, `yes`). Pure.
 */
import { parse } from 'yaml'
import { frontMatterEnd } from '../links/hidden.ts'
import type { Property } from './property.ts'

/** Looked at up to here, in characters. */
const maxFrontMatter = 64_000

const entry =
  /^(?<key>[^\s#\-"'[\]{},&*!|>%@`:][^\n:]*?|"[^"\n]+"|'[^'\n]+')[\t ]*:(?=\s|$)[^\n]*(?:\n(?:[\t ]|-[\t ]|-?\r?$)[^\n]*)*/gm
/** What YAML takes as it stands. */
const plainValue =
  /^[\t ]*([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_/.,;()!?+%'-]|[ :](?=[\p{L}\p{M}\p{N}_/.(-])|&)*)[\t ]*\r?\n?$/u

export interface Entry extends Property {
  /** Offsets of what stands behind the key's colon. */
  readonly from: number
  readonly to: number
}

export function frontMatterEntries(text: string): Entry[] {
  const end = frontMatterEnd(text)
  if (end === 0) return []
  const matter = text.slice(0, Math.min(end, maxFrontMatter)).replace(/\r?\n(?:---|\.\.\.)[\t ]*\r?\n?$/, '\n')
  const entries: Entry[] = []
  let line = 1
  let counted = 0
  for (const found of matter.matchAll(entry)) {
    const { 0: part, index } = found
    const written = found.groups?.['key'] ?? ''
    for (let at = matter.indexOf('\n', counted); at >= 0 && at < index; at = matter.indexOf('\n', at + 1)) line += 1
    counted = index
    const colon = part.indexOf(':', written.length)
    const values = valuesOf(part, part.slice(colon + 1))
    if (!values) continue
    const name = written.replace(/^(["'])(.*)\1$/, '$2').trim()
    entries.push({ name, ...values, isTop: true, line, from: index + colon + 1, to: index + part.length })
  }
  return entries
}

function valuesOf(part: string, rest: string): Pick<Property, 'values' | 'isList'> | undefined {
  const plain = plainValue.exec(rest)?.[1]
  if (plain !== undefined && !/^(?:null|true|false)$/i.test(plain)) return { values: [plain], isList: false }
  try {
    const record: unknown = parse(part, { schema: 'failsafe' })
    const [value] = typeof record === 'object' && record !== null ? Object.values(record) : []
    if (Array.isArray(value)) return { values: value.flatMap(asText), isList: true }
    return { values: asText(value), isList: false }
  } catch {
    return undefined
  }
}

/** None for what says nothing. */
function asText(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return [JSON.stringify(value)]
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text === 'null' || text === '~' ? [] : [text]
}
