import type { z } from 'zod'
import { isRecord, parseJson } from '#shared/util/json.ts'

/**
 * Parses JSON from the state folder. Keeps fields that the schema does not have: a newer version has added them, and
 * reads them again after the user has gone back to this one.
 * @returns undefined if the text is not valid
 */
export function parseStored<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  const stored = parseJson(text)
  const { success, data } = schema.safeParse(stored)
  return success ? (withUnknownFields(data, stored) as z.output<Schema>) : undefined
}

function withUnknownFields(known: unknown, stored: unknown): unknown {
  if (Array.isArray(known) && Array.isArray(stored)) return known.map((item, i) => withUnknownFields(item, stored[i]))
  if (!isRecord(known) || !isRecord(stored)) return known
  const fields = Object.entries(known).map(([key, value]) => [key, withUnknownFields(value, stored[key])])
  return { ...stored, ...Object.fromEntries(fields) }
}
