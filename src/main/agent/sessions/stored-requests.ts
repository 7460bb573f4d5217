import { hash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { inBatches, readIfExists, writeDurably } from '#platform'
import { z } from 'zod'
import { wireRequestSchema, type WireRequest } from '#shared/contract/context.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { listEntryNames } from '#workspace'
import { storedMessageSchema } from './transcript-entries.ts'

/** Stores the tools and each `<file>` section of `assemble` as one part. */
const partRules: PartRules = { field: 'tools', split: (text) => text.split(/(\n\n)(?=<file path=")/) }

const storedSchema = z.object({ sentAt: z.number(), request: z.looseObject({}) })

const sentSchema = z.object({
  system: z.array(z.string()),
  messages: z.array(storedMessageSchema),
  tools: z.array(z.unknown()).catch([]),
})

/** A body of JSON is stored as its value, so that its texts are parts. */
const storedWireSchema = wireRequestSchema.extend({
  body: z.unknown().transform((body) => (typeof body === 'string' ? body : JSON.stringify(body))),
})

/** Calls must not overlap, as they number the files, from 1. @throws AppError `disk_full`, `write_failed` */
export async function storeRequest(folder: string, request: object, at: Date): Promise<number> {
  const number = ((await requestNumbers(folder)).at(-1) ?? 0) + 1
  await writeWithParts(pathOf(folder, number, '.json.gz'), { sentAt: at.getTime(), request }, partRules)
  return number
}

/**
 * Stores the HTTP request of a stored request; a retry overwrites it. After a write error, the view shows it as not
 * recorded. @returns `onSent` of the request; `done` waits for its writes
 */
export function wireRecorder(folder: string, number: number, onFault: (error: unknown) => void) {
  let writes = Promise.resolve()
  const store = async (wire: WireRequest) => {
    const value = parseJson(wire.body)
    const body = isRecord(value) && JSON.stringify(value) === wire.body ? value : wire.body
    await writeWithParts(pathOf(folder, number, '.wire.json.gz'), { ...wire, body }, partRules)
  }
  const onStoreError = (error: unknown) => {
    if (!(error instanceof AppError)) onFault(error)
  }
  const onSent = (wire: WireRequest) => {
    writes = writes.then(() => store(wire)).catch(onStoreError)
  }
  return { onSent, done: () => writes }
}

/**
 * Returns the count of stored requests and one of them, null if missing or damaged. Its `wire` is null if the HTTP request
 * was not recorded.
 * @param number default: the last
 */
export async function readRequestWithWire(folder: string, number?: number) {
  const numbers = await requestNumbers(folder)
  const storedNumber = number ?? numbers.at(-1) ?? 0
  const stored = storedSchema.safeParse(await readWithParts(pathOf(folder, storedNumber, '.json.gz'))).data
  if (!stored) return { count: numbers.length, request: null }
  const { sentAt, request } = stored
  const model = typeof request['model'] === 'string' ? request['model'] : ''
  const json = JSON.stringify(request, null, 2)
  const storedWire = await readWithParts(pathOf(folder, storedNumber, '.wire.json.gz'))
  const wire = storedWireSchema.safeParse(storedWire).data ?? null
  return { count: numbers.length, request: { number: storedNumber, sentAt, model, json, wire } }
}

/** Parses system text, messages and tools of a stored request; undefined if the JSON lacks them. */
export function parseStoredRequest(json: string): z.infer<typeof sentSchema> | undefined {
  return sentSchema.safeParse(parseJson(json)).data
}

async function requestNumbers(folder: string): Promise<number[]> {
  const names = (await listEntryNames(folder)) ?? []
  return names
    .flatMap((name) => (/^\d+\.json\.gz$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .sort((one, other) => one - other)
}

function pathOf(folder: string, number: number, ending: '.json.gz' | '.wire.json.gz'): string {
  return join(folder, String(number).padStart(6, '0') + ending)
}

/**
 * Zipped JSON files that share their long texts. Each distinct text is stored once, in the folder `parts` beside the
 * files; a file contains a reference in its place. A reference is a string `\0<name>\0`, so deletion can mask any text
 * of a file without damage to its structure.
 *
 * A part's name is a hash of a random key and the content. Without the key, the name cannot confirm a guess of an
 * erased text.
 */
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

/** A placeholder stands for a missing or damaged part. @returns undefined if the file is missing or damaged */
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
  const text = readFile(file).then(async (bytes) => String(await gunzipAsync(bytes)))
  return text.catch(onSystemError(undefined, 'ENOENT', 'Z_DATA_ERROR', 'Z_BUF_ERROR'))
}

function partsFolder(file: string): string {
  return join(dirname(file), 'parts')
}

function basenameOf(name: string): string {
  return `${name}.json.gz`
}
