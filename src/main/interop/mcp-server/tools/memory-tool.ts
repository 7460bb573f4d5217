import { z } from 'zod'
import { maxQuery } from '#shared/util/limits.ts'
import type { MemoryAccess } from '../caller.ts'

/** The length limits keep their own messages. */
export const requiredText = () =>
  z.string({ error: ({ input }) => (typeof input === 'string' ? undefined : 'expected a text') })

export const queryParameter = requiredText().trim().min(1).max(maxQuery)

/** Refuses unknown parameters, and names those there are. */
export function parametersOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `no parameter ${issue.keys.join(', ')}; there are: ${names}` : undefined,
  })
}

export interface MemoryToolContext extends Pick<MemoryAccess, 'ask' | 'now'> {
  readonly agent: string
  readonly client: string
  /** True if an earlier attempt of this call may have had its effect. */
  readonly isRepeated: boolean
  /** Aborts when the program cancels its call or disconnects. */
  readonly signal: AbortSignal
}

export interface ToolAnswer {
  readonly lines: readonly string[]
  readonly structured?: object
}

export interface MemoryTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  /** Schema of `structured`, for tools that always answer with it. */
  readonly output?: z.ZodObject
  readonly isWriting?: boolean
  readonly run: (input: z.infer<Input>, context: MemoryToolContext) => Promise<ToolAnswer>
}
