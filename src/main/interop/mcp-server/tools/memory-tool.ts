import { z } from 'zod'
import { maxQuery } from '#shared/util/limits.ts'
import type { MemoryAccess } from '../caller.ts'
import { maxAnswerTokens, defaultAnswerTokens } from '../bounded-answer.ts'

export const queryParameter = z.string().trim().min(1).max(maxQuery)

export interface MemoryToolContext extends Pick<MemoryAccess, 'ask' | 'now'> {
  readonly agent: string
  readonly client: string
  /** Aborts when the program cancels its call or disconnects. */
  readonly signal: AbortSignal
}

export interface MemoryTool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject | undefined = z.ZodObject | undefined,
> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  /** Undefined if the tool answers with lines of plain text. */
  readonly output?: Output
  readonly isWriting?: boolean
  readonly run: (
    input: z.infer<Input>,
    context: MemoryToolContext,
  ) => Promise<Output extends z.ZodObject ? z.infer<Output> : readonly string[]>
}

export const tokenLimit = z.number().int().min(500).max(maxAnswerTokens)
export const maxTokensParameter = tokenLimit
  .default(defaultAnswerTokens)
  .describe(`Limit of the answer in tokens; default ${defaultAnswerTokens}`)

export const leftOutSchema = z
  .object({ what: z.string(), howToGet: z.string() })
  .optional()
  .describe('What did not fit, and how to get it')
