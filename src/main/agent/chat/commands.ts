import type { CommandCall } from '#shared/chat/commands.ts'
import type { CommandOutcome } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { assertModelId } from '#llm'
import { datedNote } from '#search/text'
import { localDate } from '#workspace'
import { commandEntry } from '../sessions/session-events.ts'
import { assembleRequest } from './model-request.ts'
import type { ChatServices, TurnContext } from './turn-context.ts'

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

async function execute(command: CommandCall, context: TurnContext, services: ChatServices): Promise<CommandOutcome> {
  const { name, argument } = command
  const { workspace, memory, config, agentModels, now } = services
  const { contextManager, session } = context
  const { signal, visible } = context.toolContext
  if (argument === '' && (name === 'remember' || name === 'search')) return { kind: 'needsArgument', command: name }
  switch (name) {
    case 'compact': {
      const { before, after } = await contextManager.compact(argument || undefined)
      return { kind: before === after ? 'nothingToCompact' : 'compacted', before, after }
    }
    case 'remember': {
      if (context.transcript.isWithoutMemory)
        throw new AppError('chat_apart', 'memory is off in this chat; keep the chat first, then use /remember')
      const origin = { cause: 'capture', session } as const
      const note = datedNote(argument, localDate(now()))
      const { change } = await workspace.remember(note, now(), origin, context.transcript.isPrivate)
      return { kind: 'remembered', change }
    }
    case 'search': {
      const options = { maxResults, staysHere: visible.seesPrivate }
      const found = await visible.search(argument, options, signal)
      const results = found.results.map(({ path, startLine, score, snippet }) => ({ path, startLine, score, snippet }))
      return { kind: 'found', query: argument, results }
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
      const [{ report }, status] = await Promise.all([
        assembleRequest(services, { ...context, isPreview: true }),
        memory.status(),
      ])
      const { estimatedTokens: tokens, contextWindow, off } = report
      const flushAt = off?.includes('flush') ? undefined : report.flushAt
      const compactAt = off?.includes('compact') ? undefined : report.compactAt
      const { files, units: chunks } = status
      return { kind: 'status', tokens, contextWindow, files, chunks, model: context.model.id, flushAt, compactAt }
    }
    case 'help':
    // `Chat` runs these two.
    case 'new':
    case 'reset':
      return { kind: 'help' }
  }
}
