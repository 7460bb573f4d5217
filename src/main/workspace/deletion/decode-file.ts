import { readFile, stat } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { unlessSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'

const maxBytes = 256 * 1024 * 1024

/** Names of fields whose values are identifiers, not text by a user or model. */
const structuralFields =
  /^(?:type|role|id|parentId|kind|cause|state|rule|status|toolName|toolCallId|provider|model|api|stopReason|method|hash|version|timestamp)$/

/** Returns the text of a file, also of gzip. Undefined if there is no such file; without the text if it is too large. */
export async function decodeFile(
  file: string,
): Promise<{ text?: string; isZipped?: boolean; isUtf8?: boolean } | undefined> {
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile()) return undefined
  if (info.size > maxBytes) return {}
  const bytes = await readFile(file)
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  // The errors of damaged data: such a file is searched as it is.
  const unzipped = isZipped ? unlessSystemError(() => gunzipSync(bytes), 'Z_DATA_ERROR', 'Z_BUF_ERROR') : undefined
  const content = unzipped ?? bytes
  const text = content.toString('utf8')
  return { text, isZipped, isUtf8: Buffer.from(text, 'utf8').equals(content) }
}

export function isJson(path: string): boolean {
  return /\.jsonl?(?:\.gz)?$/.test(path)
}

/** Returns the JSON values in the text of a file, not parsed. */
export function jsonRows(path: string, text: string): string[] {
  return path.endsWith('.jsonl') ? text.split('\n') : [text]
}

/** Returns the texts in a file: the strings of JSON, or the whole text. */
export function textsIn(path: string, text: string): string[] {
  return isJson(path) ? jsonRows(path, text).flatMap((json) => collectStrings(parseJson(json) ?? json)) : [text]
}

/** Returns all keys and strings of a JSON value except structural fields. Parses strings that contain JSON. */
export function collectStrings(value: unknown): string[] {
  const texts: string[] = []
  mapStrings(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** Returns a copy of a JSON value with every text and key changed, except structural fields. */
export function mapStrings(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const parsed = /^\s*[{[]/.test(value) ? (parseJson(value) ?? undefined) : undefined
    return parsed === undefined ? rewrite(value) : JSON.stringify(mapStrings(parsed, rewrite))
  }
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, rewrite))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) =>
      structuralFields.test(key) && typeof field === 'string'
        ? [key, field]
        : [rewrite(key), mapStrings(field, rewrite)],
    ),
  )
}
