import { isMap, isScalar, isSeq, LineCounter, parseDocument, stringify, type Node } from 'yaml'
import type { LineChange } from '../preview/line-edits.ts'

export interface Property {
  readonly key: string
  readonly value: PropertyValue
  /** 0-based line within the front matter. */
  readonly line: number
}

export type PropertyValue =
  /** `isOwn`: the value is on the line of its key and can be edited there. */
  | { readonly kind: 'text'; readonly text: string; readonly isOwn: boolean }
  | { readonly kind: 'flag'; readonly isSet: boolean }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'other'; readonly text: string }

/** Returns the properties in order. @returns undefined if the front matter is not a YAML map or has errors */
export function propertiesOf(source: string): Property[] | undefined {
  const lineCounter = new LineCounter()
  const document = parseDocument(source, { lineCounter, strict: false, uniqueKeys: false })
  if (document.errors.length > 0 || !isMap(document.contents)) return source.trim() === '' ? [] : undefined
  return document.contents.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value ?? '') : ''
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    return {
      key: name,
      value: propertyValueOf(value as Node | null, source, offset),
      line: lineCounter.linePos(offset).line - 1,
    }
  })
}

function propertyValueOf(node: Node | null, source: string, keyOffset: number): PropertyValue {
  if (node === null) return { kind: 'text', text: '', isOwn: true }
  if (isScalar(node)) {
    if (typeof node.value === 'boolean') return { kind: 'flag', isSet: node.value }
    const [from = 0, to = 0] = node.range ?? []
    const isOwn = !source.slice(keyOffset, to).trimEnd().includes('\n') && node.anchor === undefined
    const text = node.value === null ? '' : typeof node.value === 'string' ? node.value : source.slice(from, to).trim()
    return { kind: 'text', text, isOwn }
  }
  if (isSeq(node) && node.items.every((item) => isScalar(item)))
    return {
      kind: 'list',
      items: node.items.map((item) => (isScalar(item) ? String(item.value ?? '') : '')).filter((item) => item !== ''),
    }
  const [from = 0, to = 0] = node.range ?? []
  return { kind: 'other', text: source.slice(from, to).trim() }
}

/**
 * Returns an edit that replaces a single value and keeps the key and a comment at the end of the line.
 * @param shownValue the edit does nothing if the line has another value
 */
export function writeProperty(key: string, shownValue: string | boolean, value: string | boolean): LineChange {
  return (line) => {
    const document = parseDocument(line)
    const [pair] = isMap(document.contents) ? document.contents.items : []
    if (document.errors.length > 0 || !pair || !isScalar(pair.key) || String(pair.key.value) !== key) return undefined
    const node = pair.value
    if (node !== null && !isScalar(node)) return undefined
    const colon = line.indexOf(':', pair.key.range?.[1] ?? 0)
    const [start = 0, end = 0] = node?.range ?? []
    const [from, to] = start < end ? [start, end] : [colon + 1, colon + 1]
    const current = isScalar(node) ? node.value : null
    // An empty value can also be `~` or `null`.
    const currentValue =
      current === null || typeof shownValue === 'boolean' || typeof current === 'string'
        ? (current ?? '')
        : line.slice(from, to).trim()
    if (currentValue !== shownValue) return undefined
    const yaml = formatYaml(value)
    if (from === colon + 1) return { from, to: from, text: yaml === '' ? '' : ` ${yaml}` }
    if (yaml !== '') return { from, to, text: yaml }
    // Removes the spaces around the value, but not those before a comment.
    return { from: colon + 1, to: /^[ \t]*$/.test(line.slice(to)) ? line.length : to, text: '' }
  }
}

/**
 * Formats a value as YAML on one line. Text that looks like a number or date stays unquoted, as the user
 * typed it.
 */
function formatYaml(value: string | boolean): string {
  if (typeof value === 'boolean' || value === '') return String(value)
  if (/^[\d.+-]+$|^\d{4}-\d{2}-\d{2}/.test(value) && !/[:#]\s/.test(value)) return value
  return stringify(value, { lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd().includes('\n')
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd()
}
