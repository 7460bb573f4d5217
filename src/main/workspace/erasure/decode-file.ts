import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { parseJson } from '#shared/util/json.ts'
import { gunzipAsync } from '#platform'

const inflateAsync = promisify(inflate)

/** Larger files are not read, bytes. */
const maxBytes = 256 * 1024 * 1024

/** Names of fields whose values are identifiers, not text by a user or model. */
const structuralFields =
  /^(?:type|role|id|parentId|kind|cause|state|rule|status|toolName|toolCallId|provider|model|api|stopReason|method|hash|version|timestamp)$/

/**
 * Returns the texts in a file: the strings of JSON, or the whole file otherwise. Decompresses gzip and Git objects.
 * @returns undefined if the file is too large or does not exist
 */
export async function extractTexts(file: string): Promise<string[] | undefined> {
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile() || info.size > maxBytes) return undefined
  const bytes = await readFile(file)
  const content = await decompress(file, bytes)
  const text = content.toString('utf8')
  if (!/\.jsonl?(?:\.gz)?$/.test(file)) return [text]
  const jsonTexts = file.endsWith('.jsonl') ? text.split('\n') : [text]
  return jsonTexts.flatMap((json) => {
    const value = parseJson(json)
    return value === undefined ? [json] : collectStrings(value)
  })
}

export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

async function decompress(file: string, bytes: Buffer): Promise<Buffer> {
  try {
    if (isGzip(bytes)) return await gunzipAsync(bytes)
    if (/[\\/]objects[\\/][0-9a-f]{2}[\\/][0-9a-f]{38}$/.test(file)) return await inflateAsync(bytes)
  } catch {
    // The file is incomplete after a crash: search the compressed bytes.
  }
  return bytes
}

/** Returns all keys and strings of a JSON value except structural fields. Parses strings that contain JSON. */
export function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') {
    const parsed = parseEmbeddedJson(value)
    return parsed === undefined ? [value] : collectStrings(parsed)
  }
  if (Array.isArray(value)) return value.flatMap(collectStrings)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) =>
    structuralFields.test(key) && typeof field === 'string' ? [] : [key, ...collectStrings(field)],
  )
}

/** Returns a copy of a JSON value with every text and key changed, except structural fields. */
export function mapStrings(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const parsed = parseEmbeddedJson(value)
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

function parseEmbeddedJson(text: string): unknown {
  return /^\s*[{[]/.test(text) ? (parseJson(text) ?? undefined) : undefined
}
