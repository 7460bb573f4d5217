import { type AnySchema, oc } from '@orpc/contract'
import { z } from 'zod'
import { maxId, maxName, maxPath, maxSettings } from '../util/limits.ts'
import { errorDataSchema } from '../util/error-data.ts'
import { type ErrorCode, errorCodes } from '../util/errors.ts'

const errorItem = { data: errorDataSchema.optional() }
const errorMap = Object.fromEntries(errorCodes.map((code) => [code, errorItem])) as Record<ErrorCode, typeof errorItem>

/** JSON bytes of a file's text in a message: 20 MB of prose with escaped line breaks. */
const maxTextBytes = 22 * 1024 * 1024
/** JSON bytes of a UTF-16 code unit: a control character is written as `\u0001`. */
const maxBytesPerUnit = 6

export const fileTextSchema = z
  .string()
  .max(20 * 1024 * 1024)
  .refine(
    (text) =>
      text.length * maxBytesPerUnit <= maxTextBytes ||
      new TextEncoder().encode(JSON.stringify(text)).byteLength <= maxTextBytes,
    'exceeds the maximum file size (20 MB)',
  )

export const base = oc.errors(errorMap)

type Fields = Readonly<Record<string, z.ZodType>>
type SchemaOf<Output> = Output extends AnySchema ? Output : Output extends Fields ? z.ZodObject<Output> : never

/** @param output a schema, or the fields of an object */
export function rpc<Input extends AnySchema, Output extends AnySchema | Fields>(input: Input, output: Output) {
  const schema = '~standard' in output ? output : z.object(output)
  return base.input(input).output(schema as SchemaOf<Output>)
}

export const timestampSchema = z.number()

export const changeIdSchema = z.int()

/** Null if nothing changed or the history could not store it. */
export const changedSchema = z.object({ change: changeIdSchema.nullable() })

export const agentIdSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
export const sessionIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/)

/** Path inside a workspace, with forward slashes. The workspace checks it. */
export const filePathSchema = z.string().min(1).max(maxPath)

/** Id of a window; each window stores its own drafts. */
export const windowIdSchema = z.string().regex(/^[\w-]{1,40}$/)

/** `at`: ms since the epoch. */
export const storedDraftSchema = <T extends z.ZodType>(draft: T) =>
  z.object({ writer: windowIdSchema, at: z.number(), draft })

export const idSchema = z.string().max(maxId)

export const forAgent = z.object({ agent: agentIdSchema })
export const forFile = forAgent.extend({ path: filePathSchema })
export const forSession = forAgent.extend({ session: sessionIdSchema })

export const progressSchema = z.object({ done: z.int(), total: z.int() })

/** Output of a procedure that returns nothing: what its handler returns is dropped. */
export const done = z.unknown().transform(() => ({}))

/**
 * Recipient of a result: the client id of a program, `true` for an unknown program, or `false` for the user. For a
 * program, the result omits files outside the memory and, unless the program has full access, private notes and lines.
 */
export const forProgramSchema = z.union([z.boolean(), z.string().max(maxName)]).default(false)

export const configTextSchema = z.string().max(maxSettings)
/** Text of config.yaml before and after a change; `before` is null if there was no file. */
export const configChangeSchema = z.object({ before: configTextSchema.nullable(), after: configTextSchema })
export type ConfigChange = z.infer<typeof configChangeSchema>
