import { stringify } from 'yaml'
import type { Edit } from '#shared/markdown/links/rewrite-links.ts'
import { readFrontMatter, type Entry } from '#shared/markdown/properties/front-matter.ts'

/** Returns undefined if the line has changed since it was rendered. */
export type LineChange = (line: string) => Edit | undefined

const checkbox = /^((?:[\t ]*>)*[\t ]*(?:(?:[-*+]|\d{1,9}[.)])[\t ]+)+\[)([^[\]\n])\](?=[\t ]|$)/u

/**
 * Done (`x`) and cancelled (`-`) tasks become open, all others done.
 * @param shownState the character in the preview; the edit does nothing if the line has another one
 */
export function toggleTaskBox(shownState: string): LineChange {
  return (line) => {
    const [, prefix, state] = checkbox.exec(line) ?? []
    if (prefix === undefined || state === undefined || state.toLowerCase() !== shownState.toLowerCase())
      return undefined
    return { from: prefix.length, to: prefix.length + state.length, text: /^[xX-]$/.test(shownState) ? ' ' : 'x' }
  }
}

export type ShownProperty = NonNullable<ReturnType<typeof shownProperties>>[number]

export type PropertyValue =
  /** `isOwn`: the value is on the line of its key and can be edited there. */
  | { readonly kind: 'text'; readonly text: string; readonly isOwn: boolean }
  | { readonly kind: 'flag'; readonly isSet: boolean }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'other'; readonly text: string }

const opening = '---\n'

/** @returns undefined if the front matter is not a YAML map or has errors; `line` is 0-based within the front matter */
export function shownProperties(source: string) {
  const text = `${opening}${source}\n---`
  const { entries, isComplete } = readFrontMatter(text)
  if (!isComplete) return undefined
  return entries.map((entry) => ({ key: entry.name, value: shownValueOf(entry, text), line: entry.line - 2 }))
}

function shownValueOf({ values, isList, isScalar, valueRanges, from, to }: Entry, text: string): PropertyValue {
  const raw = text.slice(from, to).trim()
  if (!isScalar) return { kind: 'other', text: raw }
  if (isList) return { kind: 'list', items: values }
  const [value = ''] = values
  const range = valueRanges?.[0]
  // A quoted value is text.
  const isFlag = range && text.slice(range.from, range.to) === value && /^(?:true|false)$/i.test(value)
  if (isFlag) return { kind: 'flag', isSet: /^true$/i.test(value) }
  return { kind: 'text', text: value, isOwn: !/\n|^[&*]/.test(raw) }
}

/** Keeps the key and a comment. @param shownValue the edit does nothing if the line has another value */
export function writeProperty(key: string, shownValue: string | boolean, value: string | boolean): LineChange {
  return (line) => {
    const entry = readFrontMatter(`${opening}${line}\n---`).entries.find(({ name }) => name === key)
    if (!entry || entry.isList || !entry.isScalar) return undefined
    const [current = ''] = entry.values
    if (typeof shownValue === 'string' ? current !== shownValue : current.toLowerCase() !== String(shownValue))
      return undefined
    const afterColon = entry.from - opening.length
    const range = entry.valueRanges?.[0]
    const from = range ? range.from - opening.length : line.length - line.slice(afterColon).trimStart().length
    // An empty value can also be `~` or `null`.
    const to = range ? range.to - opening.length : from + (/^(?:~|null)/i.exec(line.slice(from))?.[0] ?? current).length
    const yaml = formatYaml(value)
    if (from === to) return { from: afterColon, to: afterColon, text: yaml === '' ? '' : ` ${yaml}` }
    if (yaml !== '') return { from, to, text: yaml }
    // Removes the spaces around the value, but not those before a comment.
    return { from: afterColon, to: /^[ \t]*$/.test(line.slice(to)) ? line.length : to, text: '' }
  }
}

/** Returns one line. Text that looks like a number or date stays unquoted, as the user typed it. */
function formatYaml(value: string | boolean): string {
  if (typeof value === 'boolean' || value === '') return String(value)
  if (/^[\d.+-]+$|^\d{4}-\d{2}-\d{2}/.test(value) && !/[:#]\s/.test(value)) return value
  return stringify(value, { lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd().includes('\n')
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd()
}
