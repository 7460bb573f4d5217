import type { Attachment, SendInput } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { filePart, type UserMessage } from '#shared/chat/messages.ts'
import type { ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'

export type UserInput = Pick<SendInput, 'text' | 'attachments'>

export function createUserMessage({ text, attachments = [] }: UserInput, at: Date): UserMessage {
  const timestamp = at.getTime()
  if (attachments.length === 0) return { role: 'user', content: text, timestamp }
  const parts = attachments.map((attachment) =>
    attachment.type === 'image'
      ? { type: 'image' as const, data: attachment.data, mimeType: attachment.mimeType }
      : filePart(attachment.name, attachment.text),
  )
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...parts], timestamp }
}

/** @throws AppError `images_unsupported` if there are images and the model does not accept any */
export function assertSupportsImages(model: ChatModel, attachments: readonly Attachment[]): void {
  if (model.images || !attachments.some(({ type }) => type === 'image')) return
  throw new AppError('images_unsupported', `${model.id} cannot read images`, { model: model.id })
}

/** Appends a model change to the transcript unless the model is that of the last message, or of a new chat. */
export async function recordModelChange(
  transcript: Transcript,
  { id, provider, model }: ChatModel,
  modelOfNewChats: string,
): Promise<void> {
  if ((transcript.modelId ?? modelOfNewChats) !== id)
    await transcript.append({ type: 'model_change', provider, modelId: model })
}
