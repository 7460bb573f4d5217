/** What every request of the contract shares: its possible errors, and the shapes of ids and paths. */
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { mostId, mostPath } from '../limits.ts'
import { errorCodes, errorDataSchema, type ErrorCode } from '../errors.ts'

const errorItem = { data: errorDataSchema.optional() }

export const errorMap = Object.fromEntries(errorCodes.map((code) => [code, errorItem])) as Record<
  ErrorCode,
  typeof errorItem
>

export const base = oc.errors(errorMap)

export const agentIdSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
export const sessionIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)

/** A path inside a workspace, with forward slashes. Only the shape is checked here; the workspace resolves it. */
export const filePathSchema = z.string().min(1).max(mostPath)

/** Of an entry, a message, a permission, a check: something that we or a provider named. */
export const idSchema = z.string().max(mostId)

export const forAgent = z.object({ agent: agentIdSchema })
