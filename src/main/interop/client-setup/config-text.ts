import { parse as parseToml, patch as patchToml } from '@decimalturn/toml-patch'
import { applyEdits, findNodeAtLocation, modify, parse as parseJson, parseTree, type ParseError } from 'jsonc-parser'
import { isDeepStrictEqual } from 'node:util'
import { isMap, isNode, isScalar, parseDocument, stringify } from 'yaml'
import { AppError } from '#shared/util/errors.ts'
import { isRecord } from '#shared/util/json.ts'

export type ConfigFormat = 'json' | 'toml' | 'yaml'

export interface ConfigText {
  readonly format: ConfigFormat
  /** For messages. */
  readonly file: string
  readonly text: string
}

type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>
export type Entry = Readonly<Record<string, Value>>
export type EntryPath = readonly [group: string, name: string]

/** What stands at a path; undefined for nothing. @throws AppError `config_invalid` when the text cannot be read */
export function entryAt(config: ConfigText, [group, name]: EntryPath): unknown {
  const groupValue = read(unmarked(config).config)[group]
  return isRecord(groupValue) ? groupValue[name] : undefined
}

/** The text with the entry, in the place of one that is there. @throws AppError `config_invalid` */
export function withEntry(whole: ConfigText, path: EntryPath, entry: Entry): string {
  const [group] = path
  const { mark, eol, config } = unmarked(whole)
  const others = read(config)[group] ?? {}
  if (!isRecord(others)) throw unreadable(config, `${group} is no table`)
  return mark + withBreaks(checked(config, written(config, path, entry), path, entry), eol)
}

/** The text without the entry. @throws AppError `config_invalid` */
export function withoutEntry(whole: ConfigText, path: EntryPath): string {
  const { mark, eol, config } = unmarked(whole)
  if (entryAt(config, path) === undefined) return whole.text
  return mark + withBreaks(checked(config, removed(config, path), path, undefined), eol)
}

/** Editors of Windows begin a file with the mark of its byte order, and end its lines in their own way; both stay. */
function unmarked(config: ConfigText) {
  const mark = config.text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = config.text.slice(mark.length)
  const isWindows = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  const eol: Break = isWindows ? '\r\n' : '\n'
  return { mark, eol, config: { ...config, text: isWindows ? text.replaceAll('\r\n', '\n') : text } }
}

type Break = '\n' | '\r\n'

function withBreaks(text: string, eol: Break): string {
  return eol === '\n' ? text : text.replaceAll('\n', eol)
}

function written(config: ConfigText, path: EntryPath, entry: Entry): string {
  const { format, text } = config
  switch (format) {
    case 'json': {
      const [group, name] = path
      // `null` can be given nothing.
      return read(config)[group] === null ? edited(text, [group], { [name]: entry }) : edited(text, path, entry)
    }
    case 'toml': {
      const before = removed(config, path).trimEnd()
      // Without the break of a last line that had none, so that taking out leaves none either.
      return likeEnd(text, `${before}${before === '' ? '' : '\n\n'}${tomlTable(path, entry)}`)
    }
    case 'yaml':
      return withYamlEntry(removed(config, path), path, entry)
  }
}

function removed(config: ConfigText, path: EntryPath): string {
  const { format, text } = config
  if (entryAt(config, path) === undefined) return text
  const [group, name] = path
  switch (format) {
    case 'json':
      return withoutEmptied(edited(text, path, undefined), group)
    case 'toml': {
      const value: Record<string, unknown> = parseToml(text)
      const others = { ...(value[group] as Record<string, unknown>) }
      delete others[name]
      const { [group]: _before, ...rest } = value
      return likeEnd(text, patchToml(text, Object.keys(others).length === 0 ? rest : { ...value, [group]: others }))
    }
    case 'yaml':
      return withoutYamlEntry(text, path)
  }
}

function edited(text: string, path: readonly string[], value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: eolOf(text) }
  const whole = text.trim() === '' ? '{}\n' : text
  const plain = modify(whole, [...path], value, {})
  const formatted = applyEdits(whole, modify(whole, [...path], value, { formattingOptions }))
  // What others wrote on one line would be spread over several.
  const { offset, length } = plain[0] ?? { offset: 0, length: 0 }
  const isKept =
    formatted.startsWith(whole.slice(0, offset).trimEnd()) &&
    formatted.endsWith(whole.slice(offset + length).trimStart())
  return isKept ? formatted : applyEdits(whole, plain)
}

/** A group of which nothing is left but its name goes too; a comment in it keeps it. */
function withoutEmptied(text: string, group: string): string {
  const tree = parseTree(text)
  const left = tree && findNodeAtLocation(tree, [group])
  const isEmpty = left !== undefined && /^\{\s*\}$/.test(text.slice(left.offset, left.offset + left.length))
  return isEmpty ? edited(text, [group], undefined).replace(/^\{\s+\}/, '{}') : text
}

/** With a break at its end only where the other has one, or is empty. */
function likeEnd(before: string, text: string): string {
  return before.trim() === '' || before.endsWith('\n') ? text : text.replace(/\n+$/, '')
}

/** Writing the whole document anew would move its comments and fold its lines. */
function withYamlEntry(text: string, [group, name]: EntryPath, entry: Entry): string {
  const document = parseDocument(text)
  const pair = pairOf(document.contents, group)
  const others = pair?.value
  if (!pair) {
    if (document.contents !== null && (!isMap(document.contents) || document.contents.flow === true)) return ''
    return `${ended(text)}${group}:\n${yamlLines(name, entry, '  ')}`
  }
  if (isMap(others) && others.items.length > 0) {
    const [start, end] = others.range ?? [0, 0]
    if (others.flow === true) {
      const before = text.slice(0, end - 1).trimEnd()
      return `${before}${before.endsWith(',') ? '' : ','} ${JSON.stringify(name)}: ${JSON.stringify(entry)} ${text.slice(end - 1)}`
    }
    const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    const at = lineAfter(text, end)
    return `${ended(text.slice(0, at))}${yamlLines(name, entry, indent)}${text.slice(at)}`
  }
  // Nothing, `null` or `{}` gives way; a comment behind it stays.
  const key = isScalar(pair.key) ? (pair.key.range?.[1] ?? 0) : 0
  const colon = text.indexOf(':', key) + 1
  const [start, end] = (isNode(others) ? others.range : undefined) ?? [colon, colon]
  const head = start >= colon && start < end ? text.slice(0, start).trimEnd() + text.slice(end) : text
  const lineEnd = head.indexOf('\n', colon)
  const at = lineEnd < 0 ? head.length : lineEnd + 1
  return `${ended(head.slice(0, at))}${yamlLines(name, entry, '  ')}${head.slice(at)}`
}

function withoutYamlEntry(text: string, [group, name]: EntryPath): string {
  const document = parseDocument(text)
  const pair = pairOf(document.contents, group)
  const others = pair?.value
  const own = pairOf(others, name)
  const start = isScalar(own?.key) ? own.key.range?.[0] : undefined
  const end = isNode(own?.value) ? own.value.range?.[1] : undefined
  if (!isMap(others) || start === undefined || end === undefined) return ''
  if (others.flow === true) {
    const before = text.slice(0, start).trimEnd()
    const after = text.slice(end)
    return before.endsWith(',') ? before.slice(0, -1) + after : before + after.replace(/^\s*,/, '')
  }
  const from = text.lastIndexOf('\n', start - 1) + 1
  const groupAt = isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0
  // A group of which nothing is left but its name goes too.
  const isEmptied = others.items.length === 1 && text.slice(groupAt, from).trim() === `${group}:`
  return text.slice(0, isEmptied ? groupAt : from) + text.slice(lineAfter(text, end))
}

/** Where the line after what ends at `end` begins; empty lines and comments behind it are of what follows. */
function lineAfter(text: string, end: number): number {
  const at = text.indexOf('\n', text.slice(0, end).trimEnd().length)
  return at < 0 ? text.length : at + 1
}

function pairOf(map: unknown, name: string) {
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === name) : undefined
}

function yamlLines(name: string, entry: Entry, indent: string): string {
  const lines = stringify({ [name]: entry }, { lineWidth: 0 })
    .trimEnd()
    .split('\n')
  return lines.map((line) => `${indent}${line}\n`).join('')
}

/** With the break of its last line. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text.replace(/\n+$/, '\n') : `${text.trimEnd()}\n`
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Strings of JSON are strings of TOML. */
function tomlTable([group, name]: EntryPath, entry: Entry): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`)
  return `[${group}.${name}]\n${lines.join('\n')}\n`
}

function tomlValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, text]) => `${key} = ${JSON.stringify(text)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** @throws AppError `config_invalid` */
function read(config: ConfigText): Record<string, unknown> {
  const value = parsed(config)
  if (isRecord(value)) return value
  throw unreadable(config, 'its outermost value is no table')
}

function parsed({ format, file, text }: ConfigText): unknown {
  if (text.trim() === '') return {}
  try {
    switch (format) {
      case 'json': {
        const errors: ParseError[] = []
        const value: unknown = parseJson(text, errors, { allowTrailingComma: true })
        if (errors.length > 0) throw new Error(`it is broken at character ${errors[0]?.offset ?? 0}`)
        return value
      }
      case 'toml':
        return plainOf(parseToml(text))
      case 'yaml': {
        const document = parseDocument(text)
        if (document.errors[0]) throw document.errors[0]
        return document.toJSON() ?? {}
      }
    }
  } catch (error) {
    throw unreadable({ file }, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
  }
}

/** Without the library's own kinds of tables, dates and numbers. */
function plainOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)))
}

/** All but the entry must say what it said before. */
function checked(config: ConfigText, text: string, path: EntryPath, entry: Entry | undefined): string {
  const [group, name] = path
  const rest = (value: Record<string, unknown>) => {
    const others = isRecord(value[group]) ? { ...value[group] } : {}
    delete others[name]
    return { ...value, [group]: others }
  }
  const after = { ...config, text }
  const isRight =
    isDeepStrictEqual(entryAt(after, path), entry) && isDeepStrictEqual(rest(read(after)), rest(read(config)))
  if (isRight) return text
  throw unreadable(config, 'it cannot be changed without changing something else in it; add the entry by hand')
}

function unreadable({ file }: Pick<ConfigText, 'file'>, reason: string): AppError {
  return new AppError('config_invalid', `${file}: ${reason}`, { file, reason })
}
