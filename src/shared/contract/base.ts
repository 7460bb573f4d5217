import { oc } from '@orpc/contract'
import { z } from 'zod'
import { maxId, maxName, maxPath } from '../util/limits.ts'
import { errorDataSchema } from '../util/error-data.ts'
import { errorCodes, type ErrorCode } from '../util/errors.ts'

const errorItem = { data: errorDataSchema.optional() }

export const errorMap = Object.fromEntries(errorCodes.map((code) => [code, errorItem])) as Record<
  ErrorCode,
  typeof errorItem
>

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

/** Names a window: what is typed there is its own. */
export const windowIdSchema = z.string().regex(/^[\w-]{1,40}$/)

/** A draft, with the window it was typed in, and when, ms since the epoch. */
export const keptDraft = <T extends z.ZodType>(draft: T) => z.object({ writer: windowIdSchema, at: z.number(), draft })

/** Of an entry, a message, a permission, a check: something that we or a provider named. */
export const idSchema = z.string().max(maxId)

export const forAgent = z.object({ agent: agentIdSchema })

/** For another program: nothing that the user keeps out of the memory, and nothing that is no note. */
export const forProgramSchema = z.union([z.boolean(), z.string().max(maxName)]).default(false)
