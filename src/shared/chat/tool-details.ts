import { z } from 'zod'
import { recordedSearchSchema } from '../contract/search.ts'
import { fileChangeSchema } from '../util/file-change.ts'

export const wrongArgumentSchema = z.object({
  /** Argument name; empty if the error concerns all arguments. */
  field: z.string(),
  fault: z.enum(['missing', 'type', 'tooSmall', 'tooLarge', 'choice', 'unknown', 'other']),
  /** The expected type, limit or allowed values; may be empty. */
  expected: z.string(),
})
export type WrongArgument = z.infer<typeof wrongArgumentSchema>

export const toolDetailsSchema = z.discriminatedUnion('kind', [
  /** Result of `memory_search`. */
  z.object({ kind: z.literal('recall'), recall: recordedSearchSchema }),
  z.object({ kind: z.literal('change'), change: fileChangeSchema }),
  z.object({ kind: z.literal('wrongArguments'), problems: z.array(wrongArgumentSchema) }),
  /** No tool ran: unknown name, unparseable call, or not allowed. */
  z.object({ kind: z.literal('notCalled') }),
  /** Details of an MCP tool, in its own format. */
  z.object({ kind: z.literal('foreign'), value: z.unknown() }),
])
export type ToolDetails = z.infer<typeof toolDetailsSchema>

/**
 * Parses the details stored in a transcript.
 * @returns kind `foreign` for any other value
 */
export function readToolDetails(stored: unknown): ToolDetails {
  const parsed = toolDetailsSchema.safeParse(stored)
  return parsed.success && parsed.data.kind !== 'foreign' ? parsed.data : { kind: 'foreign', value: stored }
}

/** Returns the form stored in a transcript: foreign details are stored as received. */
export function storedToolDetails(details: ToolDetails): unknown {
  return details.kind === 'foreign' ? details.value : details
}
