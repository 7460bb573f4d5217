import type { ChatEvent, ContextReport } from '#shared/contract/index.ts'
import type { ChatModel, TakeSnapshot, Models } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import { AccessPolicy, type ProposedChange } from '../tools/access-policy.ts'
import { ContextManager } from '../compaction/context-manager.ts'
import type { PermissionRequests } from '../tools/tool-permissions.ts'
import type { RequestBuilder } from './model-request.ts'
import { createMcpTool } from '../tools/mcp-tool.ts'
import { toolsFor } from '../tools/built-in-tools.ts'
import type { Tool, ToolContext, ToolLimits } from '../tools/tool.ts'
import type { McpServers } from '../mcp-client/mcp-servers.ts'
import type { Clock, AgentConfig } from '#platform'
import type { Memory } from '#search'
import type { Sessions } from '../sessions/sessions.ts'
import type { Workspace } from '#workspace'
import type { ContextWindowEstimates } from './context-window-estimates.ts'
import type { MessageQueue } from './message-queue.ts'
import { saveOutput, readOutput } from '../tools/read-file-tool.ts'

export interface TurnContext {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly toolContext: ToolContext
  readonly tools: readonly Tool[]
  readonly contextManager: ContextManager
}

export interface TurnContextHooks {
  readonly permissions: PermissionRequests
  readonly emit: (event: ChatEvent) => void
  readonly lastReport: () => ContextReport | undefined
  readonly stopDeferredNotes: () => Promise<void>
}

/** Creates the tools, tool context and context manager of one turn. Starts MCP servers that do not run yet. */
export async function createTurnContext(
  options: ChatOptions & { readonly requests: RequestBuilder },
  { session, transcript, model }: Pick<TurnContext, 'session' | 'transcript' | 'model'>,
  hooks: TurnContextHooks,
  signal: AbortSignal,
): Promise<TurnContext> {
  const { config, requests, now, mcp } = options
  const isWithoutMemory = () => transcript.isWithoutMemory
  const builtIns = isWithoutMemory() ? [] : toolsFor(model)
  const tools = [...builtIns, ...(await mcp.tools()).map((tool) => createMcpTool(tool, mcp))]
  const toolContext = createToolContext(options, { session, transcript, model }, hooks, signal)
  const contextManager = new ContextManager({
    transcript,
    model,
    budget: () => requests.budget(model),
    isFlushEnabled: config.current.compaction.memoryFlush.enabled,
    isWithoutMemory,
    prompts: () => requests.prompts(),
    assemble: () => requests.assemble({ model, transcript, tools }),
    lastReport: hooks.lastReport,
    toolContext,
    now,
    look: options.look,
    stopDeferredNotes: hooks.stopDeferredNotes,
    onStart: (step) => hooks.emit({ type: 'keeping', what: step }),
  })
  return { session, transcript, model, toolContext, tools, contextManager }
}

function createToolContext(
  { sessions, workspace, memory, mcp, toolLimits, now, onFault, look, propose }: ChatOptions,
  { session, transcript, model }: Pick<TurnContext, 'session' | 'transcript' | 'model'>,
  { permissions, emit }: TurnContextHooks,
  signal: AbortSignal,
): ToolContext {
  const outputsFolder = sessions.outputsFolder(session)
  return {
    workspace,
    memory,
    accessPolicy: new AccessPolicy(
      model,
      look,
      () => workspace.layout,
      () => transcript.messages().map(({ message }) => message),
    ),
    derivesFromLocal: false,
    sources: [],
    userText: '',
    propose: (change) => propose(change, model.id),
    session,
    readSession: (id) => sessions.readText(id),
    readOutput: (name, isLocal) => readOutput(outputsFolder, name, isLocal),
    saveOutput: (callId, text, isLocal) => saveOutput(outputsFolder, callId, text, isLocal),
    signal,
    now,
    onFault,
    // The origin changes with each user message of the turn.
    get origin() {
      const turn = transcript.messages().findLast(({ message }) => message.role === 'user')?.id
      return { cause: 'agent' as const, session, turn }
    },
    mayWrite: () => true,
    limits: toolLimits,
    askPermission: async (question) => {
      const decision = await permissions.ask(session, question, signal)
      const { server, tool } = question
      if (decision === 'always' || decision === 'never') await mcp.setPermission(server, tool, decision)
      return decision === 'once' || decision === 'always'
    },
    onProgress: (callId, share, note) => emit({ type: 'toolProgress', progress: { call: callId, share, note } }),
  }
}

export interface ChatOptions {
  readonly config: AgentConfig
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly models: Models
  readonly look: TakeSnapshot
  /** Asks the user to accept a change that contains text from other sources. @param model id of the proposing model */
  readonly propose: (change: ProposedChange, model: string) => Promise<void>
  readonly windowEstimates: ContextWindowEstimates
  readonly mcp: McpServers
  readonly toolLimits: ToolLimits
  readonly queue: MessageQueue
  readonly resources: string
  readonly now: Clock
  /** Logs an unexpected error. @returns the log reference shown to the user */
  readonly onFault: (error: unknown) => string
}
