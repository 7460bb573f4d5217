import type { UserMessage } from '#shared/chat/messages.ts'
import { windowProfile } from '../context/window-profile.ts'
import { recallNotes } from '../recall/recall-notes.ts'
import { readChatState } from './model-request.ts'
import { createToolContext, type ChatServices, type TurnTarget } from './turn-context.ts'
import { createUserMessage, type UserInput } from './user-message.ts'

/** Creates the user's message, with what the app adds to it: changes of the loaded files, and recalled notes. */
export async function composeMessage(
  input: UserInput,
  target: TurnTarget,
  services: ChatServices,
  signal: AbortSignal,
): Promise<UserMessage> {
  const { transcript, model } = target
  const plain = createUserMessage(input, services.now())
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
