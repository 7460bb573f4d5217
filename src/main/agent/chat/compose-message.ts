import { filePart, type UserMessage } from '#shared/chat/messages.ts'
import type { SendInput } from '#shared/contract/index.ts'
import { windowProfile } from '../context/window-profile.ts'
import { recallNotes } from '../recall/recall-notes.ts'
import { readChatState } from './model-request.ts'
import { createToolContext, type ChatServices, type TurnTarget } from './turn-context.ts'
/** Creates the user's message, with what the app adds to it: changes of the loaded files, and recalled notes. */
export async function composeMessage(
  { text, attachments = [] }: Pick<SendInput, 'text' | 'attachments'>,
  target: TurnTarget,
  services: ChatServices,
  signal: AbortSignal,
): Promise<UserMessage> {
  const { transcript, model } = target
  const parts = attachments.map((attachment) =>
    attachment.type === 'image'
      ? { type: 'image' as const, data: attachment.data, mimeType: attachment.mimeType }
      : filePart(attachment.name, attachment.text),
  )
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
