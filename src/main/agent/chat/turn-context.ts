import type { ChatEvent } from '#shared/contract/index.ts'
import type { ChatModel } from '#llm'
import type { OpenQuestions } from '#platform'
import type { Transcript } from '../sessions/transcript.ts'
import { lastReportOf } from '../context/context-timeline.ts'
import { AccessPolicy } from '../tools/access-policy.ts'
import { ContextManager } from '../compaction/context-manager.ts'
import type { AgentModels } from './agent-models.ts'
import type { ChatOptions } from './chat-options.ts'
import type { RequestBuilder } from './model-request.ts'
import { createMcpTool } from '../tools/mcp-tool.ts'
import { toolsFor } from '../tools/built-in-tools.ts'
import type { PermissionDecision, PermissionQuestion, Tool, ToolContext } from '../tools/tool.ts'
import { saveOutput, readOutput } from '../tools/read-file-tool.ts'

export interface TurnContext {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly toolContext: ToolContext
  readonly tools: readonly Tool[]
  readonly contextManager: ContextManager
}

export type SessionPermission = PermissionQuestion & { readonly session: string }

interface TurnContextHooks {
  readonly permissions: OpenQuestions<SessionPermission, PermissionDecision>
  readonly emit: (event: ChatEvent) => void
  readonly stopDeferredNotes: () => Promise<void>
}

export type TurnTarget = Pick<TurnContext, 'session' | 'transcript' | 'model'> & { readonly withoutServers?: boolean }

/** Creates the tools, tool context and context manager of one turn. Starts MCP servers that do not run yet. */
export async function createTurnContext(
  services: ChatServices,
  { session, transcript, model, withoutServers = false }: TurnTarget,
  hooks: TurnContextHooks,
  signal: AbortSignal,
): Promise<TurnContext> {
  const { config, requests, mcp } = services
  const builtIns = transcript.isWithoutMemory ? [] : toolsFor(model)
  const serverTools = withoutServers ? [] : await mcp.tools(transcript.isPrivate)
  const tools = [...builtIns, ...serverTools.map((tool) => createMcpTool(tool, mcp))]
  const toolContext = createToolContext(services, { session, transcript, model }, hooks, signal)
  const contextManager = new ContextManager({
    transcript,
    model,
    budget: () => requests.budget(model),
    isFlushEnabled: config.current.compaction.memoryFlush.enabled,
    prompts: () => requests.prompts(),
    assemble: () => requests.assemble({ model, transcript, tools }),
    lastReport: () => lastReportOf(transcript),
    toolContext,
    stopDeferredNotes: hooks.stopDeferredNotes,
    onStart: (step) => hooks.emit({ type: 'keeping', what: step }),
  })
  return { session, transcript, model, toolContext, tools, contextManager }
}

function createToolContext(
  { sessions, workspace, memory, mcp, toolLimits, now, onFault, marks, privacyOf, propose }: ChatOptions,
  { session, transcript, model }: Pick<TurnContext, 'session' | 'transcript' | 'model'>,
  { permissions, emit }: TurnContextHooks,
  signal: AbortSignal,
): ToolContext {
  const outputsFolder = sessions.outputsFolder(session)
  return {
    workspace,
    memory,
    accessPolicy: new AccessPolicy(transcript.isPrivate, marks, () => workspace.layout),
    privacyOf,
    sources: [],
    userText: '',
    propose: (change) => propose(change, model.id),
    session,
    readSession: (id) => sessions.readText(id, transcript.isPrivate),
    readOutput: (name) => readOutput(outputsFolder, name),
    saveOutput: (callId, text) => saveOutput(outputsFolder, callId, text),
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
      const decision = await permissions.ask({ ...question, session }, signal)
      const { server, tool } = question
      if (decision === 'always' || decision === 'never') await mcp.setPermission(server, tool, decision)
      return decision === 'once' || decision === 'always'
    },
    onProgress: (callId, share, note) => emit({ type: 'toolProgress', progress: { call: callId, share, note } }),
  }
}

export interface ChatServices extends ChatOptions {
  readonly requests: RequestBuilder
  readonly agentModels: AgentModels
}
