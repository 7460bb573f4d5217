/** Asks a model quietly: its whole answer, without anybody watching. */
import type { WireRequest } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { AssistantMessage } from '#shared/chat/messages.ts'
import type { ChatModel, ModelRequest } from './model.ts'

/** @param onSent told how it goes over the wire @throws AppError as `stream` does, and `provider_unavailable` when the answer broke off */
export async function ask(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignal,
  onSent?: (request: WireRequest) => Promise<void>,
): Promise<AssistantMessage> {
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'sent') await onSent?.(event.request)
    if (event.type === 'done') return event.message
  }
  throw new AppError('provider_unavailable', `${model.id} broke off in the middle of the answer`, {
    provider: model.provider,
  })
}
