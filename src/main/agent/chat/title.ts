import { AppError } from '#shared/util/errors.ts'
import { messageText } from '#shared/chat/messages.ts'
import { complete, type ModelRequest } from '#llm'
import { loadPrompts } from './prompts.ts'
import type { ChatServices } from './turn-context.ts'

const maxCharacters = 2000
const maxTitleLength = 80
const maxOutput = 200
/** Includes the wait for a server of this machine that answers one request at a time. */
const timeoutMs = 300_000

/** Asks the chat's model for a title unless the chat has one, titles are off, or the model is offline. */
export async function generateTitle(session: string, services: ChatServices, signal: AbortSignal): Promise<void> {
  const { config, sessions, agentModels } = services
  const transcript = await sessions.get(session)
  const messages = transcript.messages().map(({ message }) => message)
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
  if (!config.current.chat.titles || transcript.name !== undefined || !hasAnswer) return
  const model = agentModels.createOrOffline(transcript.modelId, transcript.isPrivate)
  if (model.provider === 'offline') return
  const conversation = messages
    .filter((message) => message.role !== 'toolResult' && messageText(message).trim() !== '')
    .slice(0, 2)
    .map(
      (message) => `${message.role === 'user' ? 'User' : 'Assistant'}: ${messageText(message).slice(0, maxCharacters)}`,
    )
    .join('\n\n')
    .toWellFormed()
  const content = (await loadPrompts(services)).title({ conversation })
  const request: ModelRequest = {
    purpose: { kind: 'title' },
    system: ['You title conversations.'],
    messages: [{ role: 'user', content, timestamp: 0 }],
    tools: [],
    maxOutput,
  }
  const signals = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const answer = await complete(model, request, signals).catch((error: unknown) => {
    if (error instanceof AppError || signals.aborted) return undefined
    throw error
  })
  if (signal.aborted || transcript.name !== undefined) return
  const [line = ''] = answer ? messageText(answer).trim().split('\n') : []
  const title = line.replace(/^[#*"'“”「《\s]+|[*"'“”」》.。\s]+$/gu, '')
  // With an empty title, the first words of the chat are shown, and the model is not asked again.
  await transcript.append({ type: 'session_info', name: title.length > maxTitleLength ? '' : title })
}
