import type { CommandCall } from '#shared/chat/commands.ts'
import type { CommandOutcome } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { assertModelId } from '#llm'
import { commandEntry } from '../sessions/session-events.ts'
import type { ChatServices } from './chat-options.ts'
import type { TurnContext } from './turn-context.ts'

const maxResults = 6

/**
 * Runs a command and appends its outcome to the transcript. Expected failures become the outcome `failed`.
 * @returns true if it succeeded
 */
export async function runCommand(command: CommandCall, context: TurnContext, services: ChatServices): Promise<boolean> {
  const outcome = await execute(command, context, services).catch((error: unknown): CommandOutcome => {
    if (!(error instanceof AppError)) throw error
    return { kind: 'failed', code: error.code, data: error.data, message: error.message }
  })
  await context.transcript.appendCustom(commandEntry, { command: command.name, outcome })
  return outcome.kind !== 'failed'
}

/**
 * Runs every command except `/new` and `/reset`, which `Chat` handles.
 * @throws AppError `input_invalid` for those two, `chat_apart` for `/remember` in a chat without memory
 */
async function execute(
  { name, argument }: CommandCall,
  context: TurnContext,
  { workspace, memory, config, requests, agentModels, now }: ChatServices,
): Promise<CommandOutcome> {
  const { contextManager, session } = context
  const { signal } = context.toolContext
  switch (name) {
    case 'compact': {
      const { before, after } = await contextManager.compact(argument || undefined)
      return { kind: before === after ? 'nothingToCompact' : 'compacted', before, after }
    }
    case 'remember': {
      if (argument === '') return { kind: 'needsArgument', command: name }
      if (context.transcript.isWithoutMemory)
        throw new AppError('chat_apart', 'memory is off in this chat; keep the chat first, then use /remember')
      const origin = { cause: 'capture', session } as const
      const { change } = await workspace.remember(argument, now(), origin, context.transcript.isPrivate)
      return { kind: 'remembered', change }
    }
    case 'search': {
      if (argument === '') return { kind: 'needsArgument', command: name }
      const { isPrivate } = context.transcript
      const { results } = await memory.search(
        argument,
        { maxResults, staysHere: isPrivate, hasPrivate: isPrivate },
        signal,
      )
      return {
        kind: 'found',
        query: argument,
        results: results.map(({ path, startLine, score, snippet }) => ({ path, startLine, score, snippet })),
      }
    }
    case 'model': {
      if (argument === '') return { kind: 'model', model: context.model.id }
      assertModelId(argument)
      if (context.transcript.isPrivate) agentModels.createFor(true, argument)
      await config.setModel(argument)
      return { kind: 'model', model: argument }
    }
    case 'agent':
      return { kind: 'agent', agent: config.id, workspace: workspace.roots.workspace }
    case 'context':
    case 'status': {
      const [{ report }, status] = await Promise.all([requests.assemble(context), memory.status()])
      const { estimatedTokens: tokens, contextWindow, flushAt, compactAt } = report
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
