/** The shape that every tool has. Arguments are checked before it runs; its failures are results for the model. */
import { z } from 'zod'
import type { FileChange } from '../../../shared/messages.ts'
import type { Memory } from '../../memory/index.ts'
import type { Workspace } from '../../workspace/index.ts'

/** What a tool may use: one agent's own things, and nothing else. */
export interface ToolContext {
  readonly workspace: Workspace
  readonly memory: Memory
  /** The conversation that asks. */
  readonly session: string
  /** The text of a conversation's file. @throws AppError `unknown_session` */
  readonly readSession: (session: string) => Promise<string>
  readonly signal: AbortSignal
  /** On whose account files are written. */
  readonly cause: 'agent' | 'flush'
  /** False for a path that may be read but not written now. */
  readonly mayWrite: (path: string) => boolean
}

export interface ToolOutcome {
  /** What the model reads. */
  readonly text: string
  /** What the interface shows; stored with the result, never sent to a model. */
  readonly details?: { readonly change: FileChange } | { readonly recall: unknown }
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** False when it changes something: such calls run one after another, in order. */
  readonly readOnly: boolean
  readonly parameters: z.ZodObject
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>
}

export function defineTool<Parameters extends z.ZodObject>(definition: {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  readonly parameters: Parameters
  readonly run: (input: z.infer<Parameters>, context: ToolContext) => Promise<ToolOutcome>
}): Tool {
  const { run, parameters } = definition
  return { ...definition, run: (input, context) => run(parameters.parse(input), context) }
}

export const pathParameter = z.string().describe('Path inside the workspace, such as memory/2026-01-20.md')
