import type { CommandCall } from '#shared/chat/commands.ts'
import type { Clock, AgentConfig } from '#platform'
import type { CommandOutcome } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Memory } from '#search'
import { assertModelId, type ChatModel } from '#llm'
import { commandEntry } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { Workspace } from '#workspace'
import type { ContextManager } from '../compaction/context-manager.ts'
import type { RequestBuilder } from './model-request.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'

export interface CommandContext {
  readonly config: AgentConfig
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly workspace: Workspace
  readonly memory: Memory
  readonly contextManager: Pick<ContextManager, 'compact'>
  readonly requests: Pick<RequestBuilder, 'assemble'>
  readonly tools: readonly Tool[]
  readonly toolContext: Pick<ToolContext, 'signal'>
  readonly now: Clock
}

const maxResults = 6

/** Runs a command and appends its outcome to the transcript. Expected failures become the outcome `failed`. */
export async function runCommand(command: CommandCall, context: CommandContext): Promise<CommandOutcome> {
  const outcome = await execute(command, context).catch((error: unknown): CommandOutcome => {
    if (!(error instanceof AppError)) throw error
    return { kind: 'failed', code: error.code, data: error.data, message: error.message }
  })
  await context.transcript.appendCustom(commandEntry, { command: command.name, outcome })
  return outcome
}

/**
 * Runs every command except `/new` and `/reset`, which `Chat` handles.
 * @throws AppError `input_invalid` for those two, `chat_apart` for `/remember` in a chat without memory
 */
async function execute({ name, argument }: CommandCall, context: CommandContext): Promise<CommandOutcome> {
  const { workspace, memory, contextManager, session, now } = context
  const { signal } = context.toolContext
  switch (name) {
    case 'compact': {
      const usageBefore = await measureContext(context)
      const isCompacted = await contextManager.compact(argument || undefined)
      return {
        kind: isCompacted ? 'compacted' : 'nothingToCompact',
        before: usageBefore.tokens,
        after: (await measureContext(context)).tokens,
      }
    }
    case 'remember': {
      if (argument === '') return { kind: 'needsArgument', command: name }
      if (context.transcript.isWithoutMemory)
        throw new AppError('chat_apart', 'memory is off in this chat; keep the chat first, then use /remember')
      const { change } = await workspace.remember(argument, now(), { cause: 'capture', session })
      return { kind: 'remembered', change }
    }
    case 'search': {
      if (argument === '') return { kind: 'needsArgument', command: name }
      const { results } = await memory.search(argument, { maxResults }, signal)
      return {
        kind: 'found',
        query: argument,
        results: results.map(({ path, startLine, score, snippet }) => ({ path, startLine, score, snippet })),
      }
    }
    case 'model': {
      if (argument === '') return { kind: 'model', model: context.model.id }
      assertModelId(argument)
      await context.config.setModel(argument)
      return { kind: 'model', model: argument }
    }
    case 'agent':
      return { kind: 'agent', agent: context.config.id, workspace: workspace.roots.workspace }
    case 'context':
    case 'status': {
      const [{ tokens, contextWindow, flushAt, compactAt }, status] = await Promise.all([
        measureContext(context),
        memory.status(),
      ])
      return {
        kind: 'status',
        tokens,
        contextWindow,
        files: status.files,
        chunks: status.units,
        model: context.model.id,
        flushAt,
        compactAt,
      }
    }
    case 'help':
      return { kind: 'help' }
    case 'new':
    case 'reset':
      throw new AppError('input_invalid', `/${name} starts a conversation`, { reason: name })
  }
}

async function measureContext({ requests, model, transcript, tools }: CommandContext) {
  const { report } = await requests.assemble({ model, transcript, tools })
  const { estimatedTokens: tokens, contextWindow, flushAt, compactAt } = report
  return { tokens, contextWindow, flushAt, compactAt }
}
