/**
 * A memory flush (M29): a silent turn in which the model saves durable notes from a conversation, before part of it is
 * summarised. It works on a copy, may write memory files only, and nothing that it says (NO_REPLY or more) is ever shown.
 */
import { AppError } from '../../../shared/errors.ts'
import type { FileChange } from '../../../shared/file-change.ts'
import {
  addUsage,
  noUsage,
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type Usage,
} from '../../../shared/messages.ts'
import type { ChatModel, ModelRequest } from '../../models/index.ts'
import { isMemoryPath } from '../../workspace/index.ts'
import { callTools } from '../call.ts'
import { definitionsOf, ownTools, type ToolContext } from '../tools/index.ts'

/** Model requests of one flush; saving notes takes two or three. */
const maxSteps = 8

export interface FlushOutcome {
  readonly changes: readonly FileChange[]
  readonly usage: Usage
}

/** @throws AppError when the model fails; what it had written by then stays written */
export async function flush(
  model: ChatModel,
  system: readonly string[],
  conversation: readonly Message[],
  prompt: string,
  tools: ToolContext,
): Promise<FlushOutcome> {
  const restricted: ToolContext = { ...tools, origin: { ...tools.origin, cause: 'flush' }, mayWrite: isMemoryPath }
  const messages: Message[] = [...conversation, { role: 'user', content: prompt, timestamp: Date.now() }]
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const answer = await complete(
      model,
      { system, messages, tools: definitionsOf(ownTools), maxOutput: model.maxOutput },
      tools.signal,
    )
    usage = addUsage(usage, answer.usage)
    messages.push(answer)
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    if (calls.length === 0) return { changes, usage }
    await callTools(calls, ownTools, restricted, async (result) => {
      messages.push(result)
      if (result.details?.kind === 'change') changes.push(result.details.change)
    })
  }
  return { changes, usage }
}

/** The whole answer of a model, without anybody watching. */
export async function complete(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  for await (const event of model.stream(request, signal)) if (event.type === 'done') return event.message
  throw new AppError('provider_unavailable', `${model.id} broke off in the middle of the answer`, {
    provider: model.provider,
  })
}
