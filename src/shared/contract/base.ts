/** What every request of the contract shares: its possible errors, and the shapes of ids and paths. */
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { maxId, maxName, maxPath } from '../limits.ts'
import { errorCodes, errorDataSchema, type ErrorCode } from '../errors.ts'

const errorItem = { data: errorDataSchema.optional() }

export const errorMap = Object.fromEntries(errorCodes.map((code) => [code, errorItem])) as Record<
  ErrorCode,
  typeof errorItem
>

/**
 * Bytes of one message between the interface and the runtime, as JSON in UTF-8: a file that is as large as one can be,
 * with what it was before, fits. A request that is larger is refused before it is sent (`message_too_large`).
 */
export const maxMessageBytes = 45 * 1024 * 1024

/** Bytes of a file's text as a part of a message; so much is a file of 20 MB of prose, with its line breaks escaped. */
const maxTextBytes = 22 * 1024 * 1024

/** The text of a file: no larger than a file that can be opened. */
export const fileTextSchema = z
  .string()
  .max(20 * 1024 * 1024)
  .refine((text) => jsonBytes(text) <= maxTextBytes, 'is larger than a file that can be opened here (20 MB)')

/** How many bytes a text takes as JSON in UTF-8. */
export function jsonBytes(text: string): number {
  let bytes = 2
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20) bytes += unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 2 : 6
    else if (unit < 0x80) bytes += unit === 0x22 || unit === 0x5c ? 2 : 1
    else if (unit < 0x800) bytes += 2
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3
    else if (unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      bytes += 4
      at += 1
    } else bytes += 6
  }
  return bytes
}

export const base = oc.errors(errorMap)

export const agentIdSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
export const sessionIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)

/** A path inside a workspace, with forward slashes. Only the shape is checked here; the workspace resolves it. */
export const filePathSchema = z.string().min(1).max(maxPath)

/** Of an entry, a message, a permission, a check: something that we or a provider named. */
export const idSchema = z.string().max(maxId)

export const forAgent = z.object({ agent: agentIdSchema })

/** For another program: nothing that the user keeps out of the memory, and nothing that is no note. */
export const forProgramSchema = z.union([z.boolean(), z.string().max(maxName)]).default(false)
