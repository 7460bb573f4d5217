import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { parseJson } from '#shared/util/json.ts'

const unzip = promisify(gunzip)
const expand = promisify(inflate)

/** Larger files are not read, bytes. */
const maxBytes = 256 * 1024 * 1024

/** Names of fields whose values are identifiers, not text by a user or model. */
export const structuralFields =
  /^(?:type|role|id|parentId|kind|cause|state|rule|status|toolName|toolCallId|provider|model|api|stopReason|method|hash|version|timestamp)$/

/**
 * Returns the texts in a file: the values of JSON, else the whole file. Decompresses gzip and Git objects.
 * @returns undefined if the file is too large or does not exist
 */
export async function extractTexts(file: string): Promise<string[] | undefined> {
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile()) return undefined
  if (info.size > maxBytes) return undefined
  const bytes = await readFile(file)
  const content = await decompress(file, bytes)
  const raw = content.toString('utf8')
  if (!/\.jsonl?(?:\.gz)?$/.test(file)) return [raw]
  const rows = file.endsWith('.jsonl') ? raw.split('\n') : [raw]
  return rows.flatMap((row) => {
    const value = parseJson(row)
    return value === undefined ? [row] : collectStrings(value)
  })
}

async function decompress(file: string, bytes: Buffer): Promise<Buffer> {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return await unzip(bytes)
    if (/[\\/]objects[\\/][0-9a-f]{2}[\\/][0-9a-f]{38}$/.test(file)) return await expand(bytes)
  } catch {
    // Torn by a crash: search the bytes as they are.
  }
  return bytes
}

/** Returns all strings in a JSON value, also in strings that contain JSON. */
export function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') {
    const inner = innerJson(value)
    return inner === undefined ? [value] : collectStrings(inner)
  }
  if (Array.isArray(value)) return value.flatMap(collectStrings)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inside]) =>
    structuralFields.test(key) && typeof inside === 'string' ? [] : [key, ...collectStrings(inside)],
  )
}

/** Returns a copy of a JSON value with every text and key changed, except structural fields. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const inner = innerJson(value)
    return inner === undefined ? change(value) : JSON.stringify(mapStrings(inner, change))
  }
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) =>
      structuralFields.test(key) && typeof inside === 'string'
        ? [key, inside]
        : [change(key), mapStrings(inside, change)],
    ),
  )
}

function innerJson(text: string): unknown {
  return /^\s*[{[]/.test(text) ? (parseJson(text) ?? undefined) : undefined
}
