/**
 * Summaries for compaction (M31): structured, in parts when the conversation is too long for one request, and checked:
 * an identifier that is spoken of again after the cut must be in the summary.
 */
import { AppError } from '../../../shared/errors.ts'
import { addUsage, messageText, noUsage, type Message, type Usage } from '../../../shared/messages.ts'
import { lostIdentifiers, renderInParts } from '../../context/index.ts'
import type { ChatModel } from '../../models/index.ts'
import type { Prompts } from '../prompts.ts'
import { complete } from './flush.ts'

export interface SummaryRequest {
  readonly model: ChatModel
  readonly prompt: Prompts['compaction']
  /** The summary that stood for what came before. */
  readonly earlier: string | undefined
  readonly messages: readonly Message[]
  /** What stays word for word. */
  readonly kept: readonly Message[]
  /** What the user wants the summary to be about. */
  readonly focus: string | undefined
  /** Most tokens of the conversation in one request. */
  readonly partTokens: number
  readonly signal: AbortSignal
}

export interface Summary {
  readonly text: string
  readonly usage: Usage
}

const system = ['You summarise conversations so that they can go on. You answer with the summary only.']

/** @throws AppError when the model fails or says nothing; nothing is lost then, for nothing was cut */
export async function summarize(request: SummaryRequest): Promise<Summary> {
  const { messages, kept, partTokens } = request
  let text = request.earlier
  let usage = noUsage
  for (const part of renderInParts(messages, partTokens)) {
    const answer = await ask(request, part, text, '')
    usage = addUsage(usage, answer.usage)
    text = answer.text
  }
  if (text === undefined)
    throw new AppError('provider_error', 'there was nothing to summarise', {
      provider: request.model.provider,
      reason: '',
    })
  const before = `${request.earlier ?? ''}\n${renderInParts(messages, Number.MAX_SAFE_INTEGER).join('\n')}`
  const after = renderInParts(kept, Number.MAX_SAFE_INTEGER).join('\n')
  const lost = lostIdentifiers(before, after, text)
  if (lost.length === 0) return { text, usage }
  const again = await ask(
    request,
    text,
    undefined,
    `This is a summary that lacks identifiers which are needed later. Write it again with these in it, exactly as they are: ${lost.join(', ')}`,
  )
  usage = addUsage(usage, again.usage)
  const stillLost = lostIdentifiers(before, after, again.text)
  const appendix = stillLost.length > 0 ? `\n\nAlso spoken of: ${stillLost.join(', ')}` : ''
  return { text: again.text + appendix, usage }
}

async function ask(
  { model, prompt, focus, signal }: SummaryRequest,
  conversation: string,
  earlier: string | undefined,
  note: string,
): Promise<Summary> {
  const content = prompt({
    conversation,
    focus: [note, focus ? `Pay special attention to: ${focus}` : ''].filter(Boolean).join('\n'),
    earlier:
      earlier === undefined ? '' : `What was summarised before, to be taken over:\n\n<summary>\n${earlier}\n</summary>`,
  })
  const request = {
    system,
    messages: [{ role: 'user' as const, content, timestamp: Date.now() }],
    tools: [],
    maxOutput: model.maxOutput,
  }
  const answer = await complete(model, request, signal)
  const text = messageText(answer).trim()
  if (text === '')
    throw new AppError('provider_error', `${model.id} gave an empty summary`, {
      provider: model.provider,
      reason: 'empty summary',
    })
  return { text, usage: answer.usage }
}
