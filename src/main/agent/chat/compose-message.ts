import { filePart, type UserMessage } from '#shared/chat/messages.ts'
import type { SendInput, Attachment } from '#shared/contract/index.ts'
import { privateLinesOf, visibilityOf } from '#shared/markdown/visibility.ts'
import { AppError } from '#shared/util/errors.ts'
import type { ChatModel } from '#llm'
import { windowProfile } from '../context/context-budget.ts'
import { recallNotes } from '../recall/recall-notes.ts'
import { readChatState } from './model-request.ts'
import { createToolContext, type ChatServices, type TurnTarget } from './turn-context.ts'
import type { Transcript } from '../sessions/transcript.ts'

/** Creates the user's message, with what the app adds to it: changes of the loaded files, and recalled notes. */
export async function composeMessage(
  { text, attachments = [] }: Pick<SendInput, 'text' | 'attachments'>,
  target: TurnTarget,
  services: ChatServices,
  signal: AbortSignal,
): Promise<UserMessage> {
  const { transcript, model } = target
  const parts = attachments.map((attachment) => {
    const { name, ...image } = attachment
    return image.type === 'image' ? image : filePart(name, image.text)
  })
  const textParts = text === '' ? [] : [{ type: 'text' as const, text }]
  const content = parts.length === 0 ? text : [...textParts, ...parts]
  const plain: UserMessage = { role: 'user', content, timestamp: services.now().getTime() }
  const { changes, messages, files } = await readChatState(services, transcript, model)
  const message = changes.length === 0 ? plain : { ...plain, changes: [...changes] }
  const isOn = services.config.current.chat.context.recall && !transcript.isWithoutRecall && !transcript.isWithoutMemory
  // The offline model calls the search tool.
  if (!isOn || model.provider === 'offline') return message
  const { recallTokens } = windowProfile(model.contextWindow)
  const context = createToolContext(services, target, signal)
  const recalled = await recallNotes(message, messages, files, recallTokens, context).catch((error: unknown) => {
    services.onFault(error)
    return undefined
  })
  return recalled ? { ...message, recalled } : message
}

/** Limits of the private lines in an error's data, and in its message. */
const maxNamedLines = { data: 200, message: 3 }

/** @throws AppError `message_private` */
export async function assertHasNoPrivateLine(
  privacy: ChatServices['privacy'],
  text: string,
  attachments: readonly Attachment[],
): Promise<void> {
  const files = attachments.flatMap((attachment) => (attachment.type === 'file' ? attachment.text : []))
  const marked = files.flatMap((file) => privateLinesOf(file, visibilityOf(file)).map((line) => line.trim()))
  const equal = await privacy.privateLines([text, ...files].join('\n'), text)
  const lines = [...new Set([...equal, ...marked])]
  if (lines.length === 0) return
  const shown = lines.slice(0, maxNamedLines.message).join('\n')
  const message = `the message has private lines (${lines.length}), and the chat is open (use --private, or --send-anyway):\n${shown}`
  const data = { count: lines.length, lines: lines.slice(0, maxNamedLines.data).join('\n') }
  throw new AppError('message_private', message, data)
}

/** @throws AppError `images_unsupported` */
export function assertSupportsImages(model: ChatModel, attachments: readonly Attachment[]): void {
  if (model.images || !attachments.some(({ type }) => type === 'image')) return
  throw new AppError('images_unsupported', `${model.id} cannot read images`, { model: model.id })
}

export async function recordModelChange(
  transcript: Transcript,
  { id, provider, model }: ChatModel,
  modelOfNewChats: string,
): Promise<void> {
  if ((transcript.modelId ?? modelOfNewChats) !== id)
    await transcript.append({ type: 'model_change', provider, modelId: model })
}
