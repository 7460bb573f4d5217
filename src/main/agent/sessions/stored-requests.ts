import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { wireRequestSchema, type WireRequest } from '#shared/contract/context.ts'
import { isSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { writeDurably, writeAtomically } from '#platform'
import { listEntryNames } from '#workspace'
import { storedMessageSchema } from './transcript-entries.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

const storedSchema = z.object({ sentAt: z.number(), request: z.looseObject({}) })

const sentSchema = z.object({
  system: z.array(z.string()),
  messages: z.array(storedMessageSchema),
  tools: z.array(z.unknown()),
})

/**
 * Stores a request. Calls must not overlap, as they number the files.
 * @returns the request's 1-based number
 * @throws AppError `disk_full`, `write_failed`
 */
export async function storeRequest(folder: string, request: object, at: Date): Promise<number> {
  const number = ((await requestNumbers(folder)).at(-1) ?? 0) + 1
  const bytes = await compress(JSON.stringify({ sentAt: at.getTime(), request }))
  await writeDurably(pathOf(folder, number, '.json.gz'), bytes)
  return number
}

/** Stores the HTTP request of a model request; a retry overwrites it. @throws AppError `disk_full`, `write_failed` */
export async function storeWireRequest(folder: string, number: number, wire: WireRequest): Promise<void> {
  await writeAtomically(pathOf(folder, number, '.wire.json.gz'), await compress(JSON.stringify(wire)))
}

async function readWire(folder: string, number: number): Promise<WireRequest | null> {
  try {
    const bytes = await readFile(pathOf(folder, number, '.wire.json.gz'))
    return wireRequestSchema.safeParse(parseJson(String(await decompress(bytes)))).data ?? null
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'Z_DATA_ERROR', 'Z_BUF_ERROR')) return null
    throw error
  }
}

/** Returns the count of stored requests and one of them, null if missing. @param number 1-based; last by default */
export async function readRequest(folder: string, number?: number) {
  const numbers = await requestNumbers(folder)
  const storedNumber = number === undefined ? numbers.at(-1) : numbers.find((existing) => existing === number)
  if (storedNumber === undefined) return { count: numbers.length, request: null }
  const bytes = await readFile(pathOf(folder, storedNumber, '.json.gz'))
  const { sentAt, request } = storedSchema.parse(JSON.parse(String(await decompress(bytes))))
  const model = typeof request['model'] === 'string' ? request['model'] : ''
  const json = JSON.stringify(request, null, 2)
  return { count: numbers.length, request: { number: storedNumber, sentAt, model, json } }
}

/** Returns a request as `readRequest` does; `wire` is null if its HTTP request was not recorded. */
export async function readRequestWithWire(folder: string, number?: number) {
  const { count, request } = await readRequest(folder, number)
  return { count, request: request && { ...request, wire: await readWire(folder, request.number) } }
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
