import type { Attachment } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'

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
