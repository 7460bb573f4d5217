import { z } from 'zod'
import { isAbsolute, relative } from 'node:path'
import type { PermissionRequest } from '#shared/contract/index.ts'
import type { ImagePart } from '#shared/chat/messages.ts'
import type { Clock } from '#platform'
import type { Source } from '#shared/markdown/provenance.ts'
import type { ToolDetails } from '#shared/chat/message-schemas.ts'
import type { Workspace, WriteOrigin } from '#workspace'
import { lenientArguments } from '#shared/util/lenient-arguments.ts'
import type { VisibleMemory } from '../privacy/visible-memory.ts'

export interface ToolLimits {
  readonly timeoutMs: number
  /** Maximum length of a result that a model receives. The full result is stored on disk. */
  readonly outputCharacters: number
}

export const defaultToolLimits: ToolLimits = { timeoutMs: 120_000, outputCharacters: 50_000 }

export interface SuggestedChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string
  readonly sources: readonly Source[]
}

export interface ToolContext {
  readonly workspace: Workspace
  readonly visible: VisibleMemory
  readonly session: string
  readonly sources: readonly Source[]
  readonly userText: string
  readonly propose: (change: SuggestedChange) => Promise<void>
  /** Returns a saved long result. @throws AppError `file_not_found` */
  readonly readOutput: (name: string) => Promise<string>
  readonly signal: AbortSignal
  readonly now: Clock
  /** Logs an unexpected error. @returns the log reference */
  readonly onFault: (error: unknown) => string
  readonly askPermission: (question: PermissionQuestion) => Promise<boolean>
  /** Reports progress. @param share 0 to 1, or null if unknown */
  readonly onProgress: (callId: string, share: number | null, note: string) => void
  readonly limits: ToolLimits
  /** @returns the path for `read` */
  readonly saveOutput: (callId: string, text: string) => Promise<string>
  readonly origin: WriteOrigin
  readonly mayWrite: (path: string) => boolean
  /** Shortens text that a flush appends to a daily log, and drops what the log contains; undefined in chats. */
  readonly shortenEntries?: (added: string, log: string) => string
}

export type PermissionQuestion = Omit<PermissionRequest, 'id'>
export type PermissionDecision = 'once' | 'always' | 'deny' | 'never'

export interface ToolOutcome {
  readonly text: string
  readonly images?: readonly ImagePart[]
  readonly isError?: boolean
  /** Data for the user interface; stored with the result, never sent to a model. */
  readonly details?: ToolDetails
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** False if the tool changes something; such calls run one by one, in order. */
  readonly readOnly: boolean
  readonly schema: Record<string, unknown>
  run(input: Readonly<Record<string, unknown>>, context: ToolContext, callId: string): Promise<ToolOutcome>
}

/** Defines a tool; its `run` throws a ZodError if the arguments are invalid. */
export function defineTool<Parameters extends z.ZodObject>({
  run,
  parameters,
  ...tool
}: Pick<Tool, 'name' | 'description' | 'readOnly'> & {
  readonly parameters: Parameters
  readonly run: (input: z.infer<Parameters>, context: ToolContext) => Promise<ToolOutcome>
}): Tool {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, { io: 'input' })
  return { ...tool, schema, run: (input, context) => run(parameters.parse(input), context) }
}

export const pathParameter = z.string().describe('Such as memory/2026-01-20.md')

/** Converts arguments as `lenientArguments`, and an absolute path inside the workspace. @param workspace absolute path */
export function argumentsInWorkspace(
  schema: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
  workspace: string,
): Record<string, unknown> {
  const { path, ...others } = lenientArguments(schema, input, true)
  if (path === undefined) return others
  return { ...others, path: typeof path === 'string' ? workspacePath(path, workspace) : path }
}

/** Returns an absolute path inside the workspace as a relative one; other paths as they are. */
export function workspacePath(path: string, workspace: string): string {
  if (!isAbsolute(path)) return path
  const inside = relative(workspace, path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside.replaceAll('\\', '/')
}
