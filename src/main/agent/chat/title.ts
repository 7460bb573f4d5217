import { AppError } from '#shared/util/errors.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { complete, type ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import type { ChatServices } from './turn-context.ts'

const maxCharacters = 2000
const maxTitleLength = 80
const timeoutMs = 30_000

/** Asks the chat's model for a title unless the chat has one, titles are off, or the model is offline. */
export async function generateTitle(
  transcript: Transcript,
  { config, agentModels, requests }: ChatServices,
  signal: AbortSignal,
): Promise<void> {
  const messages = transcript.messages().map(({ message }) => message)
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
  if (!config.current.chat.titles || transcript.name !== undefined || !hasAnswer) return
  const model = agentModels.createOrOffline(transcript.modelId, transcript.isPrivate)
  if (model.provider === 'offline') return
  const prompts = await requests.prompts()
  const content = prompts.title({ conversation: excerptOf(messages) })
  const signals = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const answer = await askForTitle(model, content, signals)
  const title = answer === undefined ? undefined : parseTitle(answer)
  // Without a title, the first words of the chat are shown.
  if (title !== undefined && transcript.name === undefined)
    await transcript.append({ type: 'session_info', name: title })
}

/** Returns undefined if the model fails or the signal aborts. */
async function askForTitle(model: ChatModel, content: string, signal: AbortSignal): Promise<string | undefined> {
  const messages: Message[] = [{ role: 'user', content, timestamp: 0 }]
  const system = ['You title conversations.']
  try {
    const request = { purpose: { kind: 'title' as const }, system, messages, tools: [], maxOutput: 200 }
    return messageText(await complete(model, request, signal))
  } catch (error) {
    if (error instanceof AppError || signal.aborted) return undefined
    if (error instanceof Error && /abort|timeout/i.test(error.name)) return undefined
    throw error
  }
}

function excerptOf(messages: readonly Message[]): string {
  return messages
    .filter((message) => message.role !== 'toolResult' && messageText(message).trim() !== '')
    .slice(0, 2)
    .map(
      (message) => `${message.role === 'user' ? 'User' : 'Assistant'}: ${messageText(message).slice(0, maxCharacters)}`,
    )
    .join('\n\n')
    .toWellFormed()
}

/** Returns undefined if the answer is not usable as a title. */
function parseTitle(answer: string): string | undefined {
  const line = answer.trim().split('\n')[0] ?? ''
  const title = line.replace(/^[#*"'“”「《\s]+|[*"'“”」》.。\s]+$/gu, '')
  return title === '' || title.length > maxTitleLength ? undefined : title
}
