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

type EntryValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>
export type ServerEntry = Readonly<Record<string, EntryValue>>
export type EntryPath = readonly [group: string, name: string]

/** Returns undefined if there is no value. @throws AppError `config_invalid` for invalid syntax */
export function serverEntryAt(config: ConfigText, [group, name]: EntryPath): unknown {
  const groupValue = readRoot(normalizeText(config).config)[group]
  return isRecord(groupValue) ? groupValue[name] : undefined
}

/** Returns the text with the entry added or replaced; the rest stays unchanged. @throws AppError `config_invalid` */
export function withEntry(original: ConfigText, path: EntryPath, entry: ServerEntry): string {
  const [group] = path
  const { bom, eol, config } = normalizeText(original)
  if (!isRecord(readRoot(config)[group] ?? {})) throw configError(config, `${group} is not a table`)
  return bom + verifiedText(config, addEntry(config, path, entry), path, entry).replaceAll('\n', eol)
}

/** Returns the text without the entry; the rest stays unchanged. @throws AppError `config_invalid` */
export function withoutEntry(original: ConfigText, path: EntryPath): string {
  const { bom, eol, config } = normalizeText(original)
  if (serverEntryAt(config, path) === undefined) return original.text
  return bom + verifiedText(config, removeEntry(config, path), path, undefined).replaceAll('\n', eol)
}

/** Splits off the byte order mark, and converts CRLF to LF if every line ends with CRLF. */
function normalizeText(config: ConfigText) {
  const bom = config.text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const text = config.text.slice(bom.length)
  const usesCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  const lines = usesCrlf ? text.replaceAll('\r\n', '\n') : text
  return { bom, eol: usesCrlf ? '\r\n' : '\n', config: { ...config, text: lines } }
}

function addEntry(config: ConfigText, path: EntryPath, entry: ServerEntry): string {
  const { format, text } = config
  switch (format) {
    case 'json': {
      const [group, name] = path
      // `modify` cannot add a member to `null`.
      return readRoot(config)[group] === null ? editJson(text, [group], { [name]: entry }) : editJson(text, path, entry)
    }
    case 'toml': {
      const remaining = removeEntry(config, path).trimEnd()
      const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}\n`)
      const table = `[${path.join('.')}]\n${lines.join('')}`
      // Keeps a missing line break at the end of the file, so that removing the entry restores the text.
      return matchFinalEol(text, remaining === '' ? table : `${remaining}\n\n${table}`)
    }
    case 'yaml':
      return withYamlEntry(removeEntry(config, path), path, entry)
  }
}

function removeEntry(config: ConfigText, path: EntryPath): string {
  const { format, text } = config
  if (serverEntryAt(config, path) === undefined) return text
  const [group, name] = path
  switch (format) {
    case 'json':
      return removeEmptyGroup(editJson(text, path, undefined), group)
    case 'toml': {
      const root: Record<string, unknown> = parseToml(text)
      const { [group]: entries, ...otherGroups } = root
      const { [name]: _entry, ...otherEntries } = isRecord(entries) ? entries : {}
      const isEmpty = Object.keys(otherEntries).length === 0
      return matchFinalEol(text, patchToml(text, isEmpty ? otherGroups : { ...root, [group]: otherEntries }))
    }
    case 'yaml':
      return withoutYamlEntry(text, path)
  }
}

function editJson(text: string, path: readonly string[], value: unknown): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol }
  const source = text.trim() === '' ? '{}\n' : text
  const plainEdits = modify(source, [...path], value, {})
  const formatted = applyEdits(source, modify(source, [...path], value, { formattingOptions }))
  // Formatting can spread other entries over several lines; then the plain edits are used.
  const { offset, length } = plainEdits[0] ?? { offset: 0, length: 0 }
  const keepsOtherEntries =
    formatted.startsWith(source.slice(0, offset).trimEnd()) &&
    formatted.endsWith(source.slice(offset + length).trimStart())
  return keepsOtherEntries ? formatted : applyEdits(source, plainEdits)
}

function removeEmptyGroup(text: string, group: string): string {
  const tree = parseTree(text)
  const groupNode = tree && findNodeAtLocation(tree, [group])
  const isEmpty =
    groupNode !== undefined && /^\{\s*\}$/.test(text.slice(groupNode.offset, groupNode.offset + groupNode.length))
  return isEmpty ? editJson(text, [group], undefined).replace(/^\{\s+\}/, '{}') : text
}

function matchFinalEol(original: string, text: string): string {
  return original.trim() === '' || original.endsWith('\n') ? text : text.replace(/\n+$/, '')
}

/** Edits the text: serialising the document would move comments and fold lines. @returns '' if it cannot be edited */
function withYamlEntry(text: string, [group, name]: EntryPath, entry: ServerEntry): string {
  const document = parseDocument(text)
  const groupPair = findPair(document.contents, group)
  const groupValue = groupPair?.value
  if (!groupPair) {
    if (document.contents !== null && (!isMap(document.contents) || document.contents.flow === true)) return ''
    return `${withFinalEol(text)}${group}:\n${yamlLines(name, entry, '  ')}`
  }
  if (isMap(groupValue) && groupValue.items.length > 0) {
    const [start, end] = groupValue.range ?? [0, 0]
    if (groupValue.flow === true) {
      document.setIn([group, name], entry)
      return document.toString({ lineWidth: 0 })
    }
    const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    const insertAt = nextLineStart(text, end)
    return `${withFinalEol(text.slice(0, insertAt))}${yamlLines(name, entry, indent)}${text.slice(insertAt)}`
  }
  // Replaces an empty value, `null` or `{}`; a comment after it stays.
  const keyEnd = isScalar(groupPair.key) ? (groupPair.key.range?.[1] ?? 0) : 0
  const afterColon = text.indexOf(':', keyEnd) + 1
  const [start, end] = (isNode(groupValue) ? groupValue.range : undefined) ?? [afterColon, afterColon]
  const withoutValue = start >= afterColon && start < end ? text.slice(0, start).trimEnd() + text.slice(end) : text
  const lineEnd = withoutValue.indexOf('\n', afterColon)
  const insertAt = lineEnd < 0 ? withoutValue.length : lineEnd + 1
  return `${withFinalEol(withoutValue.slice(0, insertAt))}${yamlLines(name, entry, '  ')}${withoutValue.slice(insertAt)}`
}

function withoutYamlEntry(text: string, [group, name]: EntryPath): string {
  const document = parseDocument(text)
  const groupPair = findPair(document.contents, group)
  const groupValue = groupPair?.value
  const entryPair = findPair(groupValue, name)
  const start = isScalar(entryPair?.key) ? entryPair.key.range?.[0] : undefined
  const end = isNode(entryPair?.value) ? entryPair.value.range?.[1] : undefined
  if (!isMap(groupValue) || start === undefined || end === undefined) return ''
  if (groupValue.flow === true) {
    document.deleteIn([group, name])
    return document.toString({ lineWidth: 0 })
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const groupStart = isScalar(groupPair?.key) ? (groupPair.key.range?.[0] ?? 0) : 0
  // Also removes the group if this was its only entry and it contains no comment.
  const removesGroup = groupValue.items.length === 1 && text.slice(groupStart, lineStart).trim() === `${group}:`
  return text.slice(0, removesGroup ? groupStart : lineStart) + text.slice(nextLineStart(text, end))
}

/** Returns the offset of the line after `end`, the end of an entry. Later empty lines and comments stay in place. */
function nextLineStart(text: string, end: number): number {
  const lineEnd = text.indexOf('\n', text.slice(0, end).trimEnd().length)
  return lineEnd < 0 ? text.length : lineEnd + 1
}

function findPair(map: unknown, name: string) {
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === name) : undefined
}

function yamlLines(name: string, entry: ServerEntry, indent: string): string {
  return stringify({ [name]: entry }, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent)
}

function withFinalEol(text: string): string {
  return text === '' || text.endsWith('\n') ? text.replace(/\n+$/, '\n') : `${text.trimEnd()}\n`
}

/** Serializes strings as JSON: a JSON string is a valid TOML string. */
function tomlValue(value: EntryValue): string {
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
        // Dates and large integers become text, so that they can be compared.
        return JSON.parse(
          JSON.stringify(parseToml(text), (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item)),
        )
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

/** Verifies that only the entry has changed. @throws AppError `config_invalid` */
function verifiedText(config: ConfigText, text: string, path: EntryPath, entry: ServerEntry | undefined): string {
  const [group, name] = path
  const otherSettings = (root: Record<string, unknown>) => {
    const { [name]: _entry, ...otherEntries } = isRecord(root[group]) ? root[group] : {}
    return { ...root, [group]: otherEntries }
  }
  const changed = { ...config, text }
  const hasEntry = isDeepStrictEqual(serverEntryAt(changed, path), entry)
  if (hasEntry && isDeepStrictEqual(otherSettings(readRoot(changed)), otherSettings(readRoot(config)))) return text
  throw configError(config, 'the entry cannot be changed without changing other settings; edit it by hand')
}

function configError({ file }: Pick<ConfigText, 'file'>, reason: string): AppError {
  return new AppError('config_invalid', `${file}: ${reason}`, { file, reason })
}
