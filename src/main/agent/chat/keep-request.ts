import { isProposedChange, splitAttachments } from '#shared/chat/messages.ts'
import { parseIntent, requestedNote } from '#llm'
import { localDate } from '#workspace'
import { commandEntry } from '../sessions/session-events.ts'
import type { ChatServices } from './turn-context.ts'

/**
 * Saves what the last message asks to remember, if the model has written no note for it: many models cannot call tools,
 * or forget to. The chat shows it like the command `/remember`.
 */
export async function keepRequested(session: string, { sessions, workspace, now }: ChatServices): Promise<void> {
  const transcript = await sessions.get(session)
  const messages = transcript.messages().map(({ message }) => message)
  const questionIndex = messages.findLastIndex(({ role }) => role === 'user')
  const question = messages[questionIndex]
  // The offline model calls the tool that writes notes.
  if (question?.role !== 'user' || transcript.isWithoutMemory || transcript.modelId === 'offline') return
  const today = localDate(now())
  const intent = parseIntent(splitAttachments(question).text, today)
  if (intent.kind !== 'remember' || intent.text === '') return
  const hasWritten = messages
    .slice(questionIndex)
    .some(
      (message) => message.role === 'toolResult' && (message.details?.kind === 'change' || isProposedChange(message)),
    )
  if (hasWritten) return
  const origin = { cause: 'capture', session } as const
  const { change } = await workspace.remember(requestedNote(intent, today), now(), origin, transcript.isPrivate)
  await transcript.appendCustom(commandEntry, { command: 'remember', outcome: { kind: 'remembered', change } })
}
