/**
 * What is kept of a session that ends (M36): its last messages, in a dated file named after its topic. When no model
 * answers, the time is the name.
 */
import { AppError } from '../../shared/errors.ts'
import { messageText, type Message } from '../../shared/messages.ts'
import type { ChatModel } from '../models/index.ts'
import { localDate, type Workspace } from '../workspace/index.ts'
import type { Prompts } from './prompts.ts'
import { complete } from './keeping/flush.ts'

export interface HookOptions {
  readonly workspace: Workspace
  readonly model: ChatModel
  readonly prompt: Prompts['slug']
  readonly messages: readonly Message[]
  /** How many of the newest are kept. */
  readonly count: number
  readonly session: string
  readonly at: Date
}

/** Characters of one message that are kept; the transcript has the rest. */
const maxCharacters = 2000
const slugTimeoutMs = 15_000

/** @returns the path that was written, or undefined when nothing was said */
export async function keepSession(options: HookOptions): Promise<string | undefined> {
  const { workspace, messages, count, at, session } = options
  const said = messages
    .filter((message) => message.role !== 'toolResult' && messageText(message).trim() !== '')
    .slice(-count)
  if (!said.some((message) => message.role === 'user')) return undefined
  const text = said.map(sayMessage).join('\n\n')
  const slug = (await topicOf(options, text)) ?? clockOf(at)
  const date = localDate(at)
  const heading = `# ${date}: ${slug.replaceAll('-', ' ')}\n\nThe end of a conversation (sessions/${session}.jsonl).`
  for (let number = 1; ; number += 1) {
    const path = `memory/${date}-${slug}${number === 1 ? '' : `-${number}`}.md`
    if (await workspace.exists(path)) continue
    await workspace.write(path, `${heading}\n\n${text}\n`, { cause: 'agent', session })
    return path
  }
}

function sayMessage(message: Message): string {
  const text = messageText(message).trim()
  const shown = text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()} …` : text
  return `**${message.role === 'user' ? 'User' : 'Assistant'}:** ${shown}`
}

async function topicOf({ model, prompt }: HookOptions, conversation: string): Promise<string | undefined> {
  const content = prompt({ conversation })
  try {
    const signal = AbortSignal.timeout(slugTimeoutMs)
    const answer = await complete(
      model,
      {
        system: ['You name conversations.'],
        messages: [{ role: 'user', content, timestamp: 0 }],
        tools: [],
        maxOutput: 50,
      },
      signal,
    )
    const slug = messageText(answer)
      .toLowerCase()
      .match(/[a-z0-9]+(?:-[a-z0-9]+){0,5}/)?.[0]
    return slug?.slice(0, 60)
  } catch (error) {
    // The name is a nicety; the time will do.
    if (error instanceof AppError || (error instanceof Error && /abort|timeout/i.test(error.name))) return undefined
    throw error
  }
}

function clockOf(at: Date): string {
  return `${String(at.getHours()).padStart(2, '0')}${String(at.getMinutes()).padStart(2, '0')}`
}
