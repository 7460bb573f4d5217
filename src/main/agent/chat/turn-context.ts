/** All that one piece of work on a conversation needs: the model, the tools it may call, and what keeps it in its window. */
import type { ChatEvent, ContextReport } from '#shared/contract/index.ts'
import type { ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import type { ChatOptions } from './chat-options.ts'
import { Eyes } from '../tools/access-policy.ts'
import { Keeper } from '../compaction/context-manager.ts'
import type { Permissions } from '../tools/tool-permissions.ts'
import type { Requests } from './model-request.ts'
import { keepOutput, readOutput } from '../tools/tool-output.ts'
import { fromMcp } from '../tools/mcp-tool.ts'
import { toolsFor } from '../tools/own-tools.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'

export interface Work {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly tools: ToolContext
  readonly toolbox: readonly Tool[]
  readonly keeper: Keeper
}

/** Whom it tells, and whom it asks. */
export interface WorkHooks {
  readonly permissions: Permissions
  readonly emit: (event: ChatEvent) => void
  readonly lastReport: () => ContextReport | undefined
  readonly alone: () => Promise<void>
}

/** Starts the servers of tools that do not run yet. */
export async function prepareWork(
  options: ChatOptions & { readonly requests: Requests },
  { session, transcript, model }: Pick<Work, 'session' | 'transcript' | 'model'>,
  hooks: WorkHooks,
  signal: AbortSignal,
): Promise<Work> {
  const { config, requests, now, mcp } = options
  const isApart = () => transcript.isWithoutMemory
  const own = isApart() ? [] : toolsFor(model)
  const toolbox = [...own, ...(await mcp.tools()).map((tool) => fromMcp(tool, mcp))]
  const tools = toolContext(options, { session, transcript, model }, hooks, signal)
  const keeper = new Keeper({
    transcript,
    model,
    budget: () => requests.budget(model),
    settings: config.current,
    isApart,
    prompts: () => requests.prompts(),
    assemble: () => requests.assemble({ model, transcript, tools: toolbox }),
    lastReport: hooks.lastReport,
    tools,
    now,
    look: options.look,
    alone: hooks.alone,
    onStart: (what) => hooks.emit({ type: 'keeping', what }),
  })
  return { session, transcript, model, tools, toolbox, keeper }
}

function toolContext(
  { sessions, workspace, memory, config, mcp, now, onFault, look, propose }: ChatOptions,
  { session, transcript, model }: Pick<Work, 'session' | 'transcript' | 'model'>,
  { permissions, emit }: WorkHooks,
  signal: AbortSignal,
): ToolContext {
  const { toolTimeout, toolOutputCharacters } = config.current.chat
  const outputs = sessions.outputsFolder(session)
  return {
    workspace,
    memory,
    eyes: new Eyes(
      model,
      look,
      () => workspace.layout,
      () => transcript.messages().map(({ message }) => message),
    ),
    isOfLocal: false,
    sources: [],
    ownWords: '',
    propose: (change) => propose(change, model.id),
    session,
    readSession: (id) => sessions.readText(id),
    readOutput: (name, isLocal) => readOutput(outputs, name, isLocal),
    keepOutput: (call, text, isLocal) => keepOutput(outputs, call, text, isLocal),
    signal,
    now,
    onFault,
    // The message that is being answered: another one with each turn, and with each message that steers.
    get origin() {
      const turn = transcript.messages().findLast(({ message }) => message.role === 'user')?.id
      return { cause: 'agent' as const, session, turn }
    },
    mayWrite: () => true,
    limits: { timeoutMs: toolTimeout, outputCharacters: toolOutputCharacters },
    askPermission: async (question) => {
      const decision = await permissions.ask(session, question, signal)
      const { server, tool } = question
      if (decision === 'always' || decision === 'never') await mcp.setPermission(server, tool, decision)
      return decision === 'once' || decision === 'always'
    },
    onProgress: (call, share, note) => emit({ type: 'toolProgress', progress: { call, share, note } }),
  }
}
