import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { systemClock } from '../clock.ts'
import { withFile } from './durable-write.ts'
import type { z } from 'zod'
import { isRecord, parseJson } from '#shared/util/json.ts'

/** Reads a UTF-8 file; invalid bytes become U+FFFD. @returns undefined if it is missing @throws other system errors */
export async function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
}

/**
 * @param isStrict false replaces invalid UTF-8 by U+FFFD instead of throwing @returns undefined if there is no file
 * @throws AppError 'file_not_text' if it is not a regular file or not UTF-8; 'file_too_large'; system errors
 */
export async function readSmallText(file: string, maxBytes: number, isStrict = true): Promise<string | undefined> {
  // Without O_NONBLOCK, opening a pipe blocks until a writer appears. Windows lacks the flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  const text = withFile(file, flags, async (handle) => {
    const info = await handle.stat()
    if (!info.isFile()) throw new AppError('file_not_text', `${file} is not a regular file`, { path: file })
    if (info.size > maxBytes) {
      const megabytes = Math.ceil(info.size / 1024 / 1024)
      throw new AppError('file_too_large', `${file} has ${megabytes} MB`, { path: file, megabytes })
    }
    const bytes = await handle.readFile()
    if (isStrict && !isUtf8(bytes)) throw new AppError('file_not_text', `${file} is not UTF-8 text`, { path: file })
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  })
  return text.catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
}

/** Returns undefined if `fatal` is set and the bytes are invalid, or if the runtime does not support the encoding. */
export function decodeAs(encoding: string, bytes: Uint8Array, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal, ignoreBOM: fatal }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

/** Renames an invalid file, for which `parse` returns undefined. @param onDamaged receives the new path */
export async function readOrSetAside<T>(
  file: string,
  parse: (text: string) => T | undefined,
  onDamaged: (newPath: string) => void,
): Promise<T | undefined> {
  // A folder counts as an invalid file.
  const text = await readIfExists(file).catch(onSystemError('\0', 'EISDIR'))
  const value = text === undefined ? undefined : parse(text)
  if (text !== undefined && value === undefined) {
    const newPath = damagedPath(file)
    await rename(file, newPath)
    onDamaged(newPath)
  }
  return value
}

export function damagedPath(file: string): string {
  return `${file}.damaged-${systemClock().toISOString().replaceAll(/[-:.]/g, '')}`
}

/** Reads the valid rows of a JSONL file; none if it is missing. A crash may have cut the last row. */
export async function readRows<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema>[]> {
  const lines = ((await readIfExists(file)) ?? '').split('\n')
  return lines.flatMap((line) => {
    const { success, data } = schema.safeParse(parseJson(line))
    return success ? [data] : []
  })
}

/**
 * Returns undefined if the text is not valid. Keeps fields that the schema does not have: a newer version has added them, and
 * reads them again after the user has gone back to this one.
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
