import { AppError } from '#shared/util/errors.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import { complete, type ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import type { AgentConfig } from '#platform'
import type { AgentModels } from './agent-models.ts'
import type { Prompts } from './prompts.ts'
import type { RequestBuilder } from './model-request.ts'

const maxCharacters = 2000
const maxTitleLength = 80
const timeoutMs = 30_000

export interface TitleContext {
  readonly transcript: Transcript
  readonly config: AgentConfig
  readonly models: AgentModels
  readonly requests: RequestBuilder
}

/** Asks the model for a title unless the conversation has one, titles are off, or the model is offline. */
export async function generateTitle(
  { transcript, config, models, requests }: TitleContext,
  signal: AbortSignal,
): Promise<void> {
  const messages = transcript.messages().map(({ message }) => message)
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
  if (!config.current.chat.titles || transcript.name !== undefined || !hasAnswer) return
  const model = models.create()
  if (model.provider === 'offline') return
  const title = await requestTitle(model, (await requests.prompts()).title, messages, signal)
  if (title !== undefined && transcript.name === undefined) await transcript.appendName(title)
}

/** Returns undefined if the model fails or its answer is not usable as a title. */
async function requestTitle(
  model: ChatModel,
  prompt: Prompts['title'],
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const excerpts = messages
    .filter((message) => message.role !== 'toolResult' && (model.isLocal || !message.local))
    .filter((message) => messageText(message).trim() !== '')
    .slice(0, 2)
    .map(
      (message) => `${message.role === 'user' ? 'User' : 'Assistant'}: ${messageText(message).slice(0, maxCharacters)}`,
    )
  const content = prompt({ conversation: excerpts.join('\n\n').toWellFormed() })
  try {
    const answer = await complete(
      model,
      {
        purpose: { kind: 'title' },
        system: ['You title conversations.'],
        messages: [{ role: 'user', content, timestamp: 0 }],
        tools: [],
        maxOutput: 200,
      },
      AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    )
    return parseTitle(messageText(answer))
  } catch (error) {
    // The title is optional; without one, the first words of the chat are shown.
    if (error instanceof AppError || signal.aborted) return undefined
    if (error instanceof Error && /abort|timeout/i.test(error.name)) return undefined
    throw error
  }
}

function parseTitle(answer: string): string | undefined {
  const line = answer.trim().split('\n')[0] ?? ''
  const title = line.replace(/^[#*"'“”「《\s]+|[*"'“”」》.。\s]+$/gu, '')
  return title === '' || title.length > maxTitleLength ? undefined : title
}
