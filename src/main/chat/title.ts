/** A name for a conversation, made by the model from its beginning. */
import { AppError } from '../../shared/errors.ts'
import { messageText, type Message } from '../../shared/messages.ts'
import { ask, type ChatModel } from '../models/index.ts'
import type { ChatOptions } from './chat-options.ts'

const maxCharacters = 2000
const maxTitle = 80
const timeoutMs = 30_000

/** @returns false when it has a name, or none could be made */
export async function nameConversation(
  { sessions, settings, prompts, createModel }: ChatOptions,
  session: string,
  signal: AbortSignal,
): Promise<boolean> {
  const transcript = await sessions.get(session)
  const messages = transcript.messages().map(({ message }) => message)
  const hasAnswer = messages.some(({ role }) => role === 'assistant')
  if (!settings().chat.titles || transcript.name !== undefined || !hasAnswer) return false
  const model = createModel(undefined)
  if (model.provider === 'offline') return false
  const title = await titleOf(model, (await prompts()).title, messages, signal)
  if (title === undefined || transcript.name !== undefined) return false
  await transcript.appendName(title)
  return true
}

/** @returns undefined when no model answers, or nothing that could be a title */
async function titleOf(
  model: ChatModel,
  prompt: string,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const said = messages
    .filter((message) => message.role !== 'toolResult' && messageText(message).trim() !== '')
    .slice(0, 2)
    .map(
      (message) => `${message.role === 'user' ? 'User' : 'Assistant'}: ${messageText(message).slice(0, maxCharacters)}`,
    )
  const content = prompt.replace('{{conversation}}', () => said.join('\n\n').toWellFormed())
  try {
    const answer = await ask(
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
    return cleaned(messageText(answer))
  } catch (error) {
    // A nicety: the first words will do.
    if (error instanceof AppError || signal.aborted) return undefined
    if (error instanceof Error && /abort|timeout/i.test(error.name)) return undefined
    throw error
  }
}

function cleaned(answer: string): string | undefined {
  const line = answer.trim().split('\n')[0] ?? ''
  const title = line.replace(/^[#*"'“”「《\s]+|[*"'“”」》.。\s]+$/gu, '')
  return title === '' || title.length > maxTitle ? undefined : title
}
