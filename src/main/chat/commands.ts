/** What the commands of a chat do (M37). Their outcome is data: the interface says it in the user's language. */
import type { CommandCall } from '../../shared/commands.ts'
import type { CommandOutcome } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import type { Memory } from '../memory/index.ts'
import type { AgentConfig } from '../settings/index.ts'
import type { Workspace } from '../workspace/index.ts'
import type { Keeper } from './keeping/keeper.ts'

export interface CommandContext {
  readonly config: AgentConfig
  readonly session: string
  readonly model: string
  readonly workspace: Workspace
  readonly memory: Memory
  readonly keeper: Pick<Keeper, 'compact'>
  readonly tokens: () => Promise<{ tokens: number; contextWindow: number }>
  readonly now: () => Date
  readonly signal: AbortSignal
}

const maxResults = 6

/** `/new` and `/reset` are the session's own business and never come here. */
export async function runCommand({ name, argument }: CommandCall, context: CommandContext): Promise<CommandOutcome> {
  const { workspace, memory, keeper, session, now, signal } = context
  switch (name) {
    case 'compact': {
      const before = await context.tokens()
      const done = await keeper.compact(argument || undefined)
      return {
        kind: done ? 'compacted' : 'nothingToCompact',
        before: before.tokens,
        after: (await context.tokens()).tokens,
      }
    }
    case 'remember': {
      if (argument === '') return { kind: 'needsArgument', command: name }
      const { change } = await workspace.remember(argument, now(), { cause: 'capture', session })
      const { path, patch, added, removed, startLine } = change
      return { kind: 'remembered', change: { path, patch, added, removed, startLine } }
    }
    case 'search': {
      if (argument === '') return { kind: 'needsArgument', command: name }
      const { results } = await memory.search(argument, { maxResults }, signal)
      return {
        kind: 'found',
        query: argument,
        results: results.map(({ path, startLine, score }) => ({ path, startLine, score })),
      }
    }
    case 'model': {
      if (argument === '') return { kind: 'model', model: context.model }
      await context.config.setModel(argument)
      return { kind: 'model', model: argument }
    }
    case 'agent':
      return { kind: 'agent', agent: context.config.id, workspace: workspace.roots.workspace }
    case 'context':
    case 'status': {
      const [{ tokens, contextWindow }, status] = await Promise.all([context.tokens(), memory.status()])
      return { kind: 'status', tokens, contextWindow, files: status.files, chunks: status.chunks, model: context.model }
    }
    case 'help':
      return { kind: 'help' }
    case 'new':
    case 'reset':
      throw new AppError('input_invalid', `/${name} starts a conversation`, { reason: name })
  }
}
