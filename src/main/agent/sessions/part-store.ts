/**
 * Zipped JSON files that share their long texts. Each distinct text is stored once, in the folder `parts` beside the
 * files; a file contains a reference in its place. A reference is a string `\0<name>\0`, so deletion can mask any text
 * of a file without damage to its structure.
 *
 * A part's name is a hash of a random key and the content. Without the key, the name cannot confirm a guess of an
 * erased text.
 */
import { hash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { isSystemError, onSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { inBatches, readIfExists, writeDurably } from '#platform'

const gzipAsync = promisify(gzip)
const gunzipAsync = promisify(gunzip)

/** Longer texts are stored as parts, UTF-16 code units. */
const maxInlineLength = 256
const batchSize = 8
const removedText = '[this part was removed]'
const references = /\0[0-9a-f]{32}\0/g
const encodedReferences = /\\u0000([0-9a-f]{32})(?=\\u0000)/g
const keyName = 'key'

export interface PartRules {
  /** Name of a field whose array is one part. */
  readonly field: string
  /** Splits a text into pieces that are stored separately; joined, they are the text. */
  readonly split: (text: string) => readonly string[]
}

/** Writes a JSON value durably; first its parts that are not stored yet. @throws AppError `disk_full`, `write_failed` */
export async function writeWithParts(file: string, value: object, { field, split }: PartRules): Promise<void> {
  const folder = partsFolder(file)
  const key = await readOrCreateKey(folder)
  const parts = new Map<string, string>()
  const addPart = (json: string) => {
    const name = hash('sha256', key + json).slice(0, 32)
    parts.set(name, json)
    return `\0${name}\0`
  }
  const packed = JSON.stringify(value, (name, content: unknown) => {
    if (name === field && Array.isArray(content)) {
      const json = JSON.stringify(content)
      return json.length > maxInlineLength ? addPart(json) : content
    }
    if (typeof content !== 'string') return content
    // A text with NUL could be mistaken for a reference.
    if (content.includes('\0')) return addPart(JSON.stringify(content))
    const pieces = split(content)
    return pieces.map((piece) => (piece.length > maxInlineLength ? addPart(JSON.stringify(piece)) : piece)).join('')
  })
  const storedNames = new Set(await readdir(folder).catch(onSystemError([], 'ENOENT')))
  const newParts = [...parts].filter(([name]) => !storedNames.has(basenameOf(name)))
  await inBatches(newParts, batchSize, async ([name, json]) => writeZipped(join(folder, basenameOf(name)), json))
  await writeZipped(file, packed)
}

/**
 * Reads a value of `writeWithParts`, or any zipped JSON. A placeholder stands for a missing or damaged part.
 * @returns undefined if the file is missing or damaged
 */
export async function readWithParts(file: string): Promise<unknown> {
  const packed = (await readZipped(file)) ?? ''
  const names = new Set([...packed.matchAll(encodedReferences)].map(([, name = '']) => name))
  const partOf = async (name: string) => {
    const json = await readZipped(join(partsFolder(file), basenameOf(name)))
    return [`\0${name}\0`, (json === undefined ? undefined : parseJson(json)) ?? removedText] as const
  }
  const parts = new Map<string, unknown>(await inBatches([...names], batchSize, partOf))
  return parseJson(packed, (_field, content: unknown) =>
    typeof content === 'string'
      ? // A part that is not a text is never joined with other text.
        (parts.get(content) ?? content.replaceAll(references, (reference) => String(parts.get(reference))))
      : content,
  )
}

/** A permanent deletion removes the key of a folder. */
async function readOrCreateKey(folder: string): Promise<string> {
  const file = join(folder, keyName)
  const storedKey = await readIfExists(file)
  if (storedKey) return storedKey
  const key = randomBytes(32).toString('hex')
  await writeDurably(file, key)
  return key
}

async function writeZipped(file: string, text: string): Promise<void> {
  await writeDurably(file, await gzipAsync(text))
}

async function readZipped(file: string): Promise<string | undefined> {
  try {
    return String(await gunzipAsync(await readFile(file)))
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'Z_DATA_ERROR', 'Z_BUF_ERROR')) return undefined
    throw error
  }
}

function partsFolder(file: string): string {
  return join(dirname(file), 'parts')
}

function basenameOf(name: string): string {
  return `${name}.json.gz`
}
