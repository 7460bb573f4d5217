import type { ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import { ContextManager } from '../compaction/context-manager.ts'
import { budgetOf } from '../context/context-budget.ts'
import type { OpenQuestions } from '#platform'
import type { AgentModels } from './agent-models.ts'
import type { ContextMeter } from './context-meter.ts'
import type { LiveTurns } from './live-turns.ts'
import { assembleRequest, type RequestServices } from './model-request.ts'
import { loadPrompts } from './prompts.ts'
import { createMcpTool } from '../tools/mcp-tool.ts'
import { builtInTools } from '../tools/built-in-tools.ts'
import type { PermissionDecision, PermissionQuestion, Tool, ToolContext } from '../tools/tool.ts'
import { saveOutput, readOutput } from '../tools/read-file-tool.ts'

export interface ChatServices extends RequestServices {
  readonly agentModels: AgentModels
  readonly meter: ContextMeter
  readonly turns: LiveTurns
  readonly permissions: OpenQuestions<PermissionQuestion & { readonly session: string }, PermissionDecision>
}

export interface TurnContext {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly toolContext: ToolContext
  readonly tools: readonly Tool[]
  readonly contextManager: ContextManager
}

export type TurnTarget = Pick<TurnContext, 'session' | 'transcript' | 'model'>

/**
 * Creates the tools, tool context and context manager of one turn. Starts MCP servers that do not run yet.
 * @param isTurn false to work on an ended session: without MCP servers, and without events of steps, which would show a
 * turn that never ends
 */
export async function createTurnContext(
  services: ChatServices,
  target: TurnTarget,
  signal: AbortSignal,
  isTurn = true,
): Promise<TurnContext> {
  const { config, mcp, turns } = services
  const { session, transcript, model } = target
  const builtIns = transcript.isWithoutMemory ? [] : builtInTools
  const serverTools = isTurn ? await mcp.tools(transcript.isPrivate) : []
  const tools = [...builtIns, ...serverTools.map((tool) => createMcpTool(tool, mcp))]
  const toolContext = createToolContext(services, target, signal)
  const contextManager = new ContextManager({
    transcript,
    model,
    budget: () => budgetOf(model, config.current.compaction),
    settings: () => config.current,
    prompts: () => loadPrompts(services),
    assemble: () => assembleRequest(services, { model, transcript, tools }),
    toolContext,
    tools,
    onStart: async (what) => {
      if (isTurn) turns.emit(session, { type: 'keeping', what })
    },
  })
  return { ...target, toolContext, tools, contextManager }
}

export function createToolContext(
  services: ChatServices,
  { session, transcript, model }: TurnTarget,
  signal: AbortSignal,
): ToolContext {
  const { sessions, mcp, visibleTo, permissions } = services
  const outputsFolder = sessions.outputsFolder(session)
  return {
    ...services,
    visible: visibleTo({ seesPrivate: transcript.isPrivate }),
    sources: [],
    userText: '',
    propose: (change) => services.propose(change, model.id),
    session,
    readOutput: (name) => readOutput(outputsFolder, name),
    saveOutput: (callId, text) => saveOutput(outputsFolder, callId, text),
    signal,
    // The origin changes with each user message of the turn.
    get origin() {
      const turn = transcript.messages().findLast(({ message }) => message.role === 'user')?.id
      return { cause: 'agent' as const, session, turn }
    },
    mayWrite: () => true,
    limits: services.toolLimits,
    askPermission: async (question) => {
      const decision = await permissions.ask({ ...question, session }, signal)
      const { server, tool } = question
      if (decision === 'always' || decision === 'never') await mcp.setPermission(server, tool, decision)
      return decision === 'once' || decision === 'always'
    },
    onProgress: (call, share, note) =>
      services.turns.emit(session, { type: 'toolProgress', progress: { call, share, note } }),
  }
}
