import { isMap, isScalar, isSeq, parseDocument, stringify, type Node, type Scalar } from 'yaml'
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

/** Returns the properties in their order. @returns undefined if the front matter is not a YAML map or has errors */
export function propertiesOf(matter: string): Property[] | undefined {
  const document = parseDocument(matter, { keepSourceTokens: false, strict: false, uniqueKeys: false })
  if (document.errors.length > 0 || !isMap(document.contents)) return matter.trim() === '' ? [] : undefined
  return document.contents.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value ?? '') : ''
    const at = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    return { key: name, value: valueOf(value as Node | null, matter, at), line: lineAt(matter, at) }
  })
}

function valueOf(node: Node | null, matter: string, at: number): PropertyValue {
  if (node === null) return { kind: 'text', text: '', isOwn: true }
  if (isScalar(node)) {
    if (typeof node.value === 'boolean') return { kind: 'flag', isSet: node.value }
    const [from = 0, to = 0] = node.range ?? []
    const isOwn = !matter.slice(at, to).trimEnd().includes('\n') && node.anchor === undefined
    const text = node.value === null ? '' : typeof node.value === 'string' ? node.value : matter.slice(from, to).trim()
    return { kind: 'text', text, isOwn }
  }
  if (isSeq(node) && node.items.every((item) => isScalar(item)))
    return {
      kind: 'list',
      items: node.items.map((item) => (isScalar(item) ? String(item.value ?? '') : '')).filter((item) => item !== ''),
    }
  const [from = 0, to = 0] = node.range ?? []
  return { kind: 'other', text: matter.slice(from, to).trim() }
}

function lineAt(text: string, offset: number): number {
  let line = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/**
 * Returns an edit that replaces a single value. The key and a comment at the end of the line stay.
 * @param was the value shown; the edit does nothing if the line has another value
 */
export function writeProperty(key: string, was: string | boolean, value: string | boolean): LineChange {
  return (line) => {
    const document = parseDocument(line)
    const [pair] = isMap(document.contents) ? document.contents.items : []
    if (document.errors.length > 0 || !pair || !isScalar(pair.key) || String(pair.key.value) !== key) return undefined
    const node = pair.value
    if (node !== null && !isScalar(node)) return undefined
    const colon = line.indexOf(':', pair.key.range?.[1] ?? 0)
    const [from = colon + 1, to = from] = (isWritten(node) ? node.range : undefined) ?? []
    const current = isScalar(node) ? node.value : null
    // An empty value can also be written as `~` or `null`.
    const known =
      current === null || typeof was === 'boolean' || typeof current === 'string'
        ? (current ?? '')
        : line.slice(from, to).trim()
    if (known !== was) return undefined
    const written = asYaml(value)
    if (from === colon + 1) return { from, to: from, text: written === '' ? '' : ` ${written}` }
    if (written !== '') return { from, to, text: written }
    // Removes the spaces around the value, but not those before a comment.
    const end = /^[ \t]*$/.test(line.slice(to)) ? line.length : to
    return { from: colon + 1, to: end, text: '' }
  }
}

function isWritten(node: Node | null): node is Scalar {
  return isScalar(node) && (node.range?.[1] ?? 0) > (node.range?.[0] ?? 0)
}

/**
 * Formats a value as YAML on one line. Text that looks like a number or date stays unquoted, since it was
 * typed that way.
 */
function asYaml(value: string | boolean): string {
  if (typeof value === 'boolean' || value === '') return String(value)
  if (/^[\d.+-]+$|^\d{4}-\d{2}-\d{2}/.test(value) && !/[:#]\s/.test(value)) return value
  return stringify(value, { lineWidth: 0, defaultStringType: 'PLAIN' }).trimEnd().includes('\n')
    ? JSON.stringify(value)
    : stringify(value, { lineWidth: 0 }).trimEnd()
}
