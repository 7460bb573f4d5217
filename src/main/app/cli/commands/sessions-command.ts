import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

/** Without `--private`, private chats have no title. */
export async function listSessions(
  { client }: PrimaryClient,
  { agent, private: isPrivateShown = false }: CommonFlags & { private?: boolean },
): Promise<Output> {
  // Compares the chats with the notes first.
  await client.sessions.madePrivate({ agent })
  const sessions = (await client.sessions.list({ agent }))
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map((session) => ({ ...session, title: session.isPrivate && !isPrivateShown ? '' : session.title }))
  const value = {
    sessions: sessions.map(({ id, title, createdAt, updatedAt, messages, pinned, isPrivate }) => ({
      id,
      title,
      createdAt,
      updatedAt,
      messages,
      pinned,
      isPrivate,
    })),
  }
  const lines = sessions.map(
    ({ id, updatedAt, messages, title, isPrivate }) =>
      `${id}  ${new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${String(messages).padStart(4)}  ${isPrivate ? '(private) ' : ''}${title.replaceAll(/\s+/g, ' ')}`,
  )
  return { value, text: lines.join('\n') }
}
