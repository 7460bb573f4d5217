import { type PartRules, readWithParts, writeWithParts } from './part-store.ts'
import { join } from 'node:path'
import { z } from 'zod'
import { wireRequestSchema, type WireRequest } from '#shared/contract/context.ts'
import { AppError } from '#shared/util/errors.ts'
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

/**
 * Stores a request. Calls must not overlap, as they number the files.
 * @returns the request's 1-based number
 * @throws AppError `disk_full`, `write_failed`
 */
export async function storeRequest(folder: string, request: object, at: Date): Promise<number> {
  const number = ((await requestNumbers(folder)).at(-1) ?? 0) + 1
  await writeWithParts(pathOf(folder, number, '.json.gz'), { sentAt: at.getTime(), request }, partRules)
  return number
}

/**
 * Stores the HTTP request of a stored request; a retry overwrites it. If the disk refuses it, the context view shows it as
 * not recorded.
 * @returns `onSent` of the request; `done` waits for its writes
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
