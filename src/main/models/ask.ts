/** Asks a model quietly: its whole answer, without anybody watching. */
import { AppError } from '../../shared/errors.ts'
import type { AssistantMessage } from '../../shared/messages.ts'
import type { ChatModel, ModelRequest } from './model.ts'

/** @throws AppError as `stream` does, and `provider_unavailable` when the answer broke off */
export async function ask(model: ChatModel, request: ModelRequest, signal: AbortSignal): Promise<AssistantMessage> {
  for await (const event of model.stream(request, signal)) if (event.type === 'done') return event.message
  throw new AppError('provider_unavailable', `${model.id} broke off in the middle of the answer`, {
    provider: model.provider,
  })
}
