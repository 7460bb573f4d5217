import { z } from 'zod'
import { searchResponseSchema } from '../contract/search.ts'
import { fileChangeSchema } from '../util/file-change.ts'
import { isRecord } from '../util/json.ts'

/** What is wrong with one argument of a call. */
export const wrongArgumentSchema = z.object({
  /** Empty for all of them. */
  field: z.string(),
  fault: z.enum(['missing', 'type', 'tooSmall', 'tooLarge', 'choice', 'unknown', 'other']),
  /** A type, a bound, or the values that there are; empty where there is nothing to say. */
  expected: z.string(),
})
export type WrongArgument = z.infer<typeof wrongArgumentSchema>

export const toolDetailsSchema = z.discriminatedUnion('kind', [
  /** What `memory_search` found. */
  z.object({ kind: z.literal('recall'), recall: searchResponseSchema }),
  /** What `write` and `edit` did. */
  z.object({ kind: z.literal('change'), change: fileChangeSchema }),
  /** Why a call was not carried out. */
  z.object({ kind: z.literal('wrongArguments'), problems: z.array(wrongArgumentSchema) }),
  /** No tool was asked: there is none of this name, or the call could not be read or was not allowed. */
  z.object({ kind: z.literal('notCalled') }),
  z.object({ kind: z.literal('foreign'), value: z.unknown() }),
])
export type ToolDetails = z.infer<typeof toolDetailsSchema>

/** Details as a transcript has them: older ones do not name their kind. */
export function readToolDetails(stored: unknown): ToolDetails {
  const known = toolDetailsSchema.safeParse(withKind(stored))
  return known.success && known.data.kind !== 'foreign' ? known.data : { kind: 'foreign', value: stored }
}

/** Details as a transcript keeps them: those of others the way they came. */
export function storedToolDetails(details: ToolDetails): unknown {
  return details.kind === 'foreign' ? details.value : details
}

function withKind(stored: unknown): unknown {
  if (!isRecord(stored) || 'kind' in stored) return stored
  if ('recall' in stored) return { kind: 'recall', ...stored }
  return 'change' in stored ? { kind: 'change', ...stored } : stored
}
