/**
 * One entry in another program's configuration: put in, taken out, and looked at, in a text of JSON (with comments), TOML
 * or YAML. Everything else in it stays as it is, comments and order included; what would not is refused. Pure.
 */
import { parse as parseToml, patch as patchToml } from '@decimalturn/toml-patch'
import { applyEdits, modify, parse as parseJson, type ParseError } from 'jsonc-parser'
import { isDeepStrictEqual } from 'node:util'
import { isMap, isNode, isScalar, parseDocument, stringify } from 'yaml'
import { AppError } from '../../shared/errors.ts'
import { isRecord } from '../../shared/json.ts'

export type ConfigFormat = 'json' | 'toml' | 'yaml'

export interface ConfigText {
  readonly format: ConfigFormat
  /** For messages. */
  readonly file: string
  readonly text: string
}

type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>
export type Entry = Readonly<Record<string, Value>>
type Path = readonly [string, string]

/** What stands at a path; undefined for nothing. @throws AppError `config_invalid` when the text cannot be read */
export function entryAt(config: ConfigText, [group, name]: Path): unknown {
  const groupValue = read(unmarked(config).config)[group]
  return isRecord(groupValue) ? groupValue[name] : undefined
}

/** The text with the entry, in the place of one that is there. @throws AppError `config_invalid` */
export function withEntry(whole: ConfigText, path: Path, entry: Entry): string {
  const [group] = path
  const { mark, config } = unmarked(whole)
  const others = read(config)[group] ?? {}
  if (!isRecord(others)) throw unreadable(config, `${group} is no table`)
  return mark + checked(config, written(config, path, entry), path, entry)
}

/** The text without the entry. @throws AppError `config_invalid` */
export function withoutEntry(whole: ConfigText, path: Path): string {
  const { mark, config } = unmarked(whole)
  if (entryAt(config, path) === undefined) return whole.text
  return mark + checked(config, removed(config, path), path, undefined)
}

/** Some editors of Windows begin a file with the mark of its byte order; it stays. */
function unmarked(config: ConfigText): { readonly mark: string; readonly config: ConfigText } {
  const isMarked = config.text.startsWith('\uFEFF')
  return { mark: isMarked ? '\uFEFF' : '', config: isMarked ? { ...config, text: config.text.slice(1) } : config }
}

function written(config: ConfigText, path: Path, entry: Entry): string {
  const { format, text } = config
  switch (format) {
    case 'json':
      return edited(text, path, entry)
    case 'toml': {
      const before = removed(config, path).trimEnd()
      return `${before}${before === '' ? '' : '\n\n'}${tomlTable(path, entry)}`
    }
    case 'yaml':
      return withYamlEntry(removed(config, path), path, entry)
  }
}

function removed(config: ConfigText, path: Path): string {
  const { format, text } = config
  if (entryAt(config, path) === undefined) return text
  const [group, name] = path
  switch (format) {
    case 'json':
      return edited(text, path, undefined)
    case 'toml': {
      const value: Record<string, unknown> = parseToml(text)
      const others = { ...(value[group] as Record<string, unknown>) }
      delete others[name]
      const { [group]: _before, ...rest } = value
      return patchToml(text, Object.keys(others).length === 0 ? rest : { ...value, [group]: others })
    }
    case 'yaml':
      return withoutYamlEntry(text, path)
  }
}

function edited(text: string, path: Path, value: Entry | undefined): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: eolOf(text) }
  const whole = text.trim() === '' ? '{}\n' : text
  return applyEdits(whole, modify(whole, [...path], value, { formattingOptions }))
}

/** At the end of its group, in the group's own indentation: writing the whole document anew would move its comments. */
function withYamlEntry(text: string, [group, name]: Path, entry: Entry): string {
  const document = parseDocument(text)
  const others = document.get(group, true)
  const first = isMap(others) && others.flow !== true ? others.items[0]?.key : undefined
  const start = isScalar(first) ? first.range?.[0] : undefined
  if (!isMap(others) || !others.range || start === undefined) {
    if (isMap(others)) others.set(name, document.createNode(entry))
    else document.set(group, document.createNode({ [name]: entry }))
    return document.toString()
  }
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const lines = stringify({ [name]: entry })
    .trimEnd()
    .split('\n')
  const end = others.range[1]
  const before = text.slice(0, end).replace(/\s*$/, '\n')
  return `${before}${lines.map((line) => `${indent}${line}\n`).join('')}${text.slice(end).replace(/^\n/, '')}`
}

function withoutYamlEntry(text: string, [group, name]: Path): string {
  const document = parseDocument(text)
  const others = document.get(group, true)
  const pair = isMap(others) ? others.items.find(({ key }) => isScalar(key) && key.value === name) : undefined
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  const end = isNode(pair?.value) ? pair.value.range?.[1] : undefined
  const isAlone = isMap(others) && others.items.length === 1
  if (start !== undefined && end !== undefined && !isAlone && isMap(others) && others.flow !== true)
    return text.slice(0, text.lastIndexOf('\n', start - 1) + 1) + text.slice(end).replace(/^[ \t]*\n/, '')
  document.deleteIn(isAlone ? [group] : [group, name])
  return document.toString()
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Strings of JSON are strings of TOML. */
function tomlTable([group, name]: Path, entry: Entry): string {
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
function checked(config: ConfigText, text: string, path: Path, entry: Entry | undefined): string {
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
