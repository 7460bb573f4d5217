/**
 * The names of a note besides its path: `aliases`, `alias` and `title` of front matter (Obsidian, Foam), `alias::` and
 * `title::` of Logseq. Pure.
 */
import { parse } from 'yaml'
import { frontMatterEnd } from './hidden.ts'

/** Front matter is looked at up to here, in characters. */
const maxFrontMatter = 64_000
const maxNames = 100
const maxName = 300

/** @returns without repetition, as they are written */
export function namesOf(text: string): string[] {
  const end = frontMatterEnd(text)
  const found = end > 0 ? fromFrontMatter(text.slice(0, Math.min(end, maxFrontMatter))) : []
  const names = [...found, ...fromProperties(text.slice(end, end + 4000))]
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== '' && name.length <= maxName))].slice(
    0,
    maxNames,
  )
}

function fromFrontMatter(matter: string): string[] {
  const names: string[] = []
  // Key by key: a mistake elsewhere does not take the names away.
  for (const [part, key = ''] of matter.matchAll(
    /^(title|alias|aliases)[\t ]*:[^\n]*(?:\n(?:[\t ]|-[\t ])[^\n]*)*/gim,
  )) {
    const value = valueOf(part, key)
    if (Array.isArray(value)) names.push(...value.filter(isName).map(String))
    else if (isName(value)) names.push(...(/^title$/i.test(key) ? [String(value)] : String(value).split(',')))
  }
  return names
}

function isName(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function valueOf(part: string, key: string): unknown {
  try {
    const record: unknown = parse(part)
    return typeof record === 'object' && record !== null
      ? Object.entries(record).find(([name]) => name === key)?.[1]
      : undefined
  } catch {
    return undefined
  }
}

/** The properties at the top of a page of Logseq. */
function fromProperties(start: string): string[] {
  const names: string[] = []
  for (const line of start.split('\n')) {
    const [, key, value = ''] = /^\s*(?:- )?([\w-]+):: ?(.*?)\r?$/.exec(line) ?? []
    if (key === undefined) {
      if (line.trim() === '' || line.trim() === '-') continue
      break
    }
    if (key === 'title') names.push(value)
    if (key === 'alias') names.push(...value.split(',').map((name) => name.trim().replace(/^\[\[(.*)\]\]$/, '$1')))
  }
  return names
}
