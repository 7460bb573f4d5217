import type { ChatModel } from '#llm'
import type { OpenQuestions } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import type { ImagePart } from '#shared/chat/messages.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { ContextManager } from '../compaction/context-manager.ts'
import { budgetOf } from '../context/context-budget.ts'
import { reportOf } from '../context/context-timeline.ts'
import { assembleRequest, type RequestServices } from './model-request.ts'
import { AgentModels } from './agent-models.ts'
import type { ChatOptions } from './chat-options.ts'
import { ContextMeter } from './context-meter.ts'
import type { LiveTurns } from './live-turns.ts'
import { loadPrompts } from './prompts.ts'
import { builtInTools, readOutput, saveOutput } from '../tools/built-in-tools.ts'
import type { PermissionDecision, PermissionQuestion, Tool, ToolContext, ToolOutcome } from '../tools/tool.ts'
import type { McpServers, McpTool } from '../mcp-client/mcp-servers.ts'

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
  const fixedParts: RequestServices['fixedParts'] = new Map()
  const services = { ...options, agentModels: new AgentModels(options), fixedParts }
  // Watchers receive messages in full; after other entries they refetch the transcript.
  options.sessions.changes.subscribe(({ session, entry }) => {
    if (entry && entry.type !== 'message' && !reportOf(entry)) turns.emit(session, { type: 'changed' })
  })
  return { ...services, meter: new ContextMeter(services), turns, permissions }
}

export interface TurnContext {
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly toolContext: ToolContext
  readonly tools: readonly Tool[]
  readonly contextManager: ContextManager
}

export type TurnTarget = Pick<TurnContext, 'transcript' | 'model'>

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
  const { transcript, model } = target
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

type CallResult = Awaited<ReturnType<McpTool['connection']['call']>>

function createMcpTool(mcp: McpTool, servers: Pick<McpServers, 'permissionOf'>): Tool {
  const { server, tool, connection, isPrivate, ...definition } = mcp
  return {
    ...definition,
    async run(input, { signal, limits, askPermission, onProgress }, callId) {
      const permission = servers.permissionOf(server, tool)
      const question = { server, tool, input: JSON.stringify(input, null, 2) }
      if (permission === 'never' || (permission === 'ask' && !(await askPermission(question))))
        throw new AppError('tool_denied', `the user denied ${tool} of ${server}`, { tool, server })
      const report = (share: number | null, note: string) => onProgress(callId, share, note)
      const options = { signal, timeoutMs: limits.timeoutMs, isPrivate, onProgress: report }
      return outcomeOf(await connection.call(tool, { ...input }, options))
    },
  }
}

function outcomeOf({ content = [], isError, structuredContent }: CallResult): ToolOutcome {
  const images = content.flatMap((part): ImagePart[] =>
    part.type === 'image' ? [{ type: 'image', data: part.data, mimeType: part.mimeType }] : [],
  )
  const texts = content.flatMap((part) => {
    if (part.type === 'image') return []
    if (part.type === 'text') return part.text
    if (part.type === 'resource') return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`
    return part.type === 'resource_link' ? `[${part.name}](${part.uri})` : `[${part.type}]`
  })
  if (texts.length === 0 && structuredContent) texts.push(JSON.stringify(structuredContent, null, 2))
  return { text: texts.join('\n'), images, isError: isError === true }
}
