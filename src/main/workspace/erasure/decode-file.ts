import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { parseJson } from '#shared/util/json.ts'

const unzip = promisify(gunzip)
const expand = promisify(inflate)

/** More is not read at once. */
const maxBytes = 256 * 1024 * 1024

/** Fields that say what something is, and nothing that anybody wrote. */
export const structural =
  /^(?:type|role|id|parentId|kind|cause|state|rule|status|toolName|toolCallId|provider|model|api|stopReason|method|hash|version|timestamp)$/

/** @returns undefined for a file that is too large, or is gone */
export async function textsOf(file: string): Promise<string[] | undefined> {
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile()) return undefined
  if (info.size > maxBytes) return undefined
  const bytes = await readFile(file)
  const whole = await decoded(file, bytes)
  const raw = whole.toString('utf8')
  if (!/\.jsonl?(?:\.gz)?$/.test(file)) return [raw]
  const rows = file.endsWith('.jsonl') ? raw.split('\n') : [raw]
  return rows.flatMap((row) => {
    const value = parseJson(row)
    return value === undefined ? [row] : stringsOf(value)
  })
}

async function decoded(file: string, bytes: Buffer): Promise<Buffer> {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return await unzip(bytes)
    if (/[\\/]objects[\\/][0-9a-f]{2}[\\/][0-9a-f]{38}$/.test(file)) return await expand(bytes)
  } catch {
    // Torn by a crash: what is there is looked at as it is.
  }
  return bytes
}

/** What a value says, and what the texts in it that are JSON themselves say. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const inner = innerJson(value)
    return inner === undefined ? [value] : stringsOf(inner)
  }
  if (Array.isArray(value)) return value.flatMap(stringsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inside]) =>
    structural.test(key) && typeof inside === 'string' ? [] : [key, ...stringsOf(inside)],
  )
}

/** The same value with other texts in it. */
export function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const inner = innerJson(value)
    return inner === undefined ? change(value) : JSON.stringify(withTexts(inner, change))
  }
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) =>
      structural.test(key) && typeof inside === 'string' ? [key, inside] : [change(key), withTexts(inside, change)],
    ),
  )
}

function innerJson(text: string): unknown {
  return /^\s*[{[]/.test(text) ? (parseJson(text) ?? undefined) : undefined
}
