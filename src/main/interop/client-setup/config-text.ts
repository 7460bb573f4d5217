import { parse as parseToml, patch as patchToml } from '@decimalturn/toml-patch'
import { applyEdits, findNodeAtLocation, modify, parse as parseJson, parseTree, type ParseError } from 'jsonc-parser'
import { isDeepStrictEqual } from 'node:util'
import { isMap, isNode, isScalar, parseDocument, stringify } from 'yaml'
import { AppError } from '#shared/util/errors.ts'
import { isRecord } from '#shared/util/json.ts'

export type ConfigFormat = 'json' | 'toml' | 'yaml'

export interface ConfigText {
  readonly format: ConfigFormat
  readonly file: string
  readonly text: string
}

type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>
export type Entry = Readonly<Record<string, Value>>
export type EntryPath = readonly [group: string, name: string]

/** Returns the value at a path; undefined if there is none. @throws AppError `config_invalid` for invalid syntax */
export function entryAt(config: ConfigText, [group, name]: EntryPath): unknown {
  const groupValue = readRoot(withoutBom(config).config)[group]
  return isRecord(groupValue) ? groupValue[name] : undefined
}

/** Returns the text with the entry added or replaced; the rest stays unchanged. @throws AppError `config_invalid` */
export function withEntry(whole: ConfigText, path: EntryPath, entry: Entry): string {
  const [group] = path
  const { mark, eol, config } = withoutBom(whole)
  const others = readRoot(config)[group] ?? {}
  if (!isRecord(others)) throw configError(config, `${group} is not a table`)
  return mark + withBreaks(verifiedText(config, addEntry(config, path, entry), path, entry), eol)
}

/** Returns the text without the entry; the rest stays unchanged. @throws AppError `config_invalid` */
export function withoutEntry(whole: ConfigText, path: EntryPath): string {
  const { mark, eol, config } = withoutBom(whole)
  if (entryAt(config, path) === undefined) return whole.text
  return mark + withBreaks(verifiedText(config, removeEntry(config, path), path, undefined), eol)
}

function withoutBom(config: ConfigText) {
  const bom = config.text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = config.text.slice(bom.length)
  const isWindows = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  const eol: Break = isWindows ? '\r\n' : '\n'
  return { mark: bom, eol, config: { ...config, text: isWindows ? text.replaceAll('\r\n', '\n') : text } }
}

type Break = '\n' | '\r\n'

function withBreaks(text: string, eol: Break): string {
  return eol === '\n' ? text : text.replaceAll('\n', eol)
}

function addEntry(config: ConfigText, path: EntryPath, entry: Entry): string {
  const { format, text } = config
  switch (format) {
    case 'json': {
      const [group, name] = path
      // `modify` cannot add a member to `null`.
      return readRoot(config)[group] === null ? editJson(text, [group], { [name]: entry }) : editJson(text, path, entry)
    }
    case 'toml': {
      const before = removeEntry(config, path).trimEnd()
      // Keeps a missing line break at the end of the file, so that removing the entry restores the text.
      return matchFinalBreak(text, `${before}${before === '' ? '' : '\n\n'}${tomlTable(path, entry)}`)
    }
    case 'yaml':
      return withYamlEntry(removeEntry(config, path), path, entry)
  }
}

function removeEntry(config: ConfigText, path: EntryPath): string {
  const { format, text } = config
  if (entryAt(config, path) === undefined) return text
  const [group, name] = path
  switch (format) {
    case 'json':
      return removeEmptyGroup(editJson(text, path, undefined), group)
    case 'toml': {
      const value: Record<string, unknown> = parseToml(text)
      const others = { ...(value[group] as Record<string, unknown>) }
      delete others[name]
      const { [group]: _before, ...rest } = value
      return matchFinalBreak(
        text,
        patchToml(text, Object.keys(others).length === 0 ? rest : { ...value, [group]: others }),
      )
    }
    case 'yaml':
      return withoutYamlEntry(text, path)
  }
}

function editJson(text: string, path: readonly string[], value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: eolOf(text) }
  const whole = text.trim() === '' ? '{}\n' : text
  const plain = modify(whole, [...path], value, {})
  const formatted = applyEdits(whole, modify(whole, [...path], value, { formattingOptions }))
  // Formatting would spread other entries over several lines.
  const { offset, length } = plain[0] ?? { offset: 0, length: 0 }
  const keepsOtherEntries =
    formatted.startsWith(whole.slice(0, offset).trimEnd()) &&
    formatted.endsWith(whole.slice(offset + length).trimStart())
  return keepsOtherEntries ? formatted : applyEdits(whole, plain)
}

/** Removes a group that became empty; a comment inside keeps it. */
function removeEmptyGroup(text: string, group: string): string {
  const tree = parseTree(text)
  const groupNode = tree && findNodeAtLocation(tree, [group])
  const isEmpty =
    groupNode !== undefined && /^\{\s*\}$/.test(text.slice(groupNode.offset, groupNode.offset + groupNode.length))
  return isEmpty ? editJson(text, [group], undefined).replace(/^\{\s+\}/, '{}') : text
}

/** Drops the line break at the end if `before` is not empty and has none. */
function matchFinalBreak(before: string, text: string): string {
  return before.trim() === '' || before.endsWith('\n') ? text : text.replace(/\n+$/, '')
}

/** Edits the text: serialising the document would move comments and fold lines. Returns '' if it cannot. */
function withYamlEntry(text: string, [group, name]: EntryPath, entry: Entry): string {
  const document = parseDocument(text)
  const pair = pairOf(document.contents, group)
  const others = pair?.value
  if (!pair) {
    if (document.contents !== null && (!isMap(document.contents) || document.contents.flow === true)) return ''
    return `${withFinalBreak(text)}${group}:\n${yamlLines(name, entry, '  ')}`
  }
  if (isMap(others) && others.items.length > 0) {
    const [start, end] = others.range ?? [0, 0]
    if (others.flow === true) {
      const before = text.slice(0, end - 1).trimEnd()
      return `${before}${before.endsWith(',') ? '' : ','} ${JSON.stringify(name)}: ${JSON.stringify(entry)} ${text.slice(end - 1)}`
    }
    const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    const at = lineAfter(text, end)
    return `${withFinalBreak(text.slice(0, at))}${yamlLines(name, entry, indent)}${text.slice(at)}`
  }
  // Replaces an empty value, `null` or `{}`; a comment behind it stays.
  const key = isScalar(pair.key) ? (pair.key.range?.[1] ?? 0) : 0
  const colon = text.indexOf(':', key) + 1
  const [start, end] = (isNode(others) ? others.range : undefined) ?? [colon, colon]
  const head = start >= colon && start < end ? text.slice(0, start).trimEnd() + text.slice(end) : text
  const lineEnd = head.indexOf('\n', colon)
  const at = lineEnd < 0 ? head.length : lineEnd + 1
  return `${withFinalBreak(head.slice(0, at))}${yamlLines(name, entry, '  ')}${head.slice(at)}`
}

function withoutYamlEntry(text: string, [group, name]: EntryPath): string {
  const document = parseDocument(text)
  const pair = pairOf(document.contents, group)
  const others = pair?.value
  const ownPair = pairOf(others, name)
  const start = isScalar(ownPair?.key) ? ownPair.key.range?.[0] : undefined
  const end = isNode(ownPair?.value) ? ownPair.value.range?.[1] : undefined
  if (!isMap(others) || start === undefined || end === undefined) return ''
  if (others.flow === true) {
    const before = text.slice(0, start).trimEnd()
    const after = text.slice(end)
    return before.endsWith(',') ? before.slice(0, -1) + after : before + after.replace(/^\s*,/, '')
  }
  const from = text.lastIndexOf('\n', start - 1) + 1
  const groupAt = isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0
  // Removes a group that became empty.
  const isEmptied = others.items.length === 1 && text.slice(groupAt, from).trim() === `${group}:`
  return text.slice(0, isEmptied ? groupAt : from) + text.slice(lineAfter(text, end))
}

/** Returns the offset of the line after `end`. Later empty lines and comments belong to the next entry. */
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

function withFinalBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text.replace(/\n+$/, '\n') : `${text.trimEnd()}\n`
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** A JSON string is a valid TOML string. */
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

function readRoot(config: ConfigText): Record<string, unknown> {
  const value = parseConfig(config)
  if (isRecord(value)) return value
  throw configError(config, 'its root is not a table')
}

function parseConfig({ format, file, text }: ConfigText): unknown {
  if (text.trim() === '') return {}
  try {
    switch (format) {
      case 'json': {
        const errors: ParseError[] = []
        const value: unknown = parseJson(text, errors, { allowTrailingComma: true })
        if (errors.length > 0) throw new Error(`invalid syntax at character ${errors[0]?.offset ?? 0}`)
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
    throw configError({ file }, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
  }
}

function plainOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)))
}

/** Verifies that only the entry has changed. @throws AppError `config_invalid` */
function verifiedText(config: ConfigText, text: string, path: EntryPath, entry: Entry | undefined): string {
  const [group, name] = path
  const rest = (value: Record<string, unknown>) => {
    const others = isRecord(value[group]) ? { ...value[group] } : {}
    delete others[name]
    return { ...value, [group]: others }
  }
  const after = { ...config, text }
  const isValid =
    isDeepStrictEqual(entryAt(after, path), entry) && isDeepStrictEqual(rest(readRoot(after)), rest(readRoot(config)))
  if (isValid) return text
  throw configError(config, 'the entry cannot be changed without changing other settings; edit it by hand')
}

function configError({ file }: Pick<ConfigText, 'file'>, reason: string): AppError {
  return new AppError('config_invalid', `${file}: ${reason}`, { file, reason })
}
