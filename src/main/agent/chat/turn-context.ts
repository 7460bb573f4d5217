import type { ChatModel } from '#llm'
import type { OpenQuestions } from '#platform'
import type { Transcript } from '../sessions/transcript.ts'
import { ContextManager } from '../compaction/context-manager.ts'
import { budgetOf } from '../context/context-budget.ts'
import { reportOf } from '../context/context-timeline.ts'
import { assembleRequest, type RequestServices } from './model-request.ts'
import { agentModels, type AgentModels } from './agent-models.ts'
import type { ChatOptions } from './chat-options.ts'
import { ContextMeter } from './context-meter.ts'
import type { LiveTurns } from './live-turns.ts'
import { loadPrompts } from './prompts.ts'
import { builtInTools, readOutput, saveOutput } from '../tools/built-in-tools.ts'
import type { PermissionDecision, PermissionQuestion, ToolContext } from '../tools/tool.ts'

export interface ChatServices extends RequestServices {
  readonly agentModels: AgentModels
  readonly meter: ContextMeter
  readonly turns: LiveTurns
  readonly permissions: OpenQuestions<PermissionQuestion & { readonly session: string }, PermissionDecision>
}

export function createChatServices(
  options: ChatOptions,
  turns: LiveTurns,
  permissions: ChatServices['permissions'],
): ChatServices {
  const fixedParts: RequestServices['fixedParts'] = new WeakMap()
  const services = { ...options, agentModels: agentModels(options), fixedParts }
  // Watchers receive messages in full; after other entries they refetch the transcript.
  options.sessions.changes.subscribe(({ session, entry }) => {
    if (entry && entry.type !== 'message' && !reportOf(entry)) turns.emit(session, { type: 'changed' })
  })
  return { ...services, meter: new ContextMeter(services), turns, permissions }
}

export interface TurnTarget {
  readonly transcript: Transcript
  readonly model: ChatModel
}

export type TurnContext = Awaited<ReturnType<typeof createTurnContext>>

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
) {
  const { config, mcp, turns } = services
  const { transcript, model } = target
  const builtIns = transcript.isWithoutMemory ? [] : builtInTools
  const serverTools = isTurn ? await mcp.tools(transcript.isPrivate) : []
  const tools = [...builtIns, ...serverTools]
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
      if (isTurn) turns.emit(transcript.id, { type: 'keeping', what })
    },
  })
  return { ...target, toolContext, tools, contextManager }
}

export function createToolContext(
  services: ChatServices,
  { transcript, model }: TurnTarget,
  signal: AbortSignal,
): ToolContext {
  const session = transcript.id
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
      const isLasting = decision === 'always' || decision === 'never'
      if (isLasting) await mcp.setPermission(question.server, question.tool, decision)
      return decision === 'once' || decision === 'always'
    },
    onProgress: (call, share, note) =>
      services.turns.emit(session, { type: 'toolProgress', progress: { call, share, note } }),
  }
}
