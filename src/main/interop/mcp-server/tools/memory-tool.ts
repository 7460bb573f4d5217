import { z } from 'zod'
import type { ContractClient } from '#shared/contract/index.ts'
import { mostTokens, usualTokens } from '../bounded-answer.ts'

export interface ToolContext {
  readonly agent: string
  readonly client: string
  /**
   * Asks whoever owns the memory; once more when the owner changes meanwhile (`isRepeated` is true then).
   * @throws AppError with the owner's code
   */
  readonly ask: <T>(work: (owner: ContractClient, isRepeated: boolean) => Promise<T>) => Promise<T>
  readonly now: () => Date
  /** Aborted when the program takes its call back, or goes away. */
  readonly signal: AbortSignal
}

export interface MemoryTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly isReadOnly: boolean
  readonly run: (input: z.infer<Input>, context: ToolContext) => Promise<z.infer<Output>>
}

export const maxTokensParameter = z
  .number()
  .int()
  .min(500)
  .max(mostTokens)
  .default(usualTokens)
  .describe(`How long the answer may be, in tokens; ${usualTokens} when left out`)

export const leftOutSchema = z
  .object({ what: z.string(), howToGet: z.string() })
  .optional()
  .describe('What there was no room for, and how to get it')
