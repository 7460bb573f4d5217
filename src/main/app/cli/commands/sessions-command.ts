import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

/** Without `--private`, private chats have no title. */
export async function listSessions(
  { client }: PrimaryClient,
  { agent, private: isPrivateShown = false }: CommonFlags,
): Promise<Output> {
  // Compares the chats with the notes first.
  await client.sessions.madePrivate({ agent })
  const sessions = (await client.sessions.list({ agent }))
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map(({ id, title, createdAt, updatedAt, messages, pinned, isPrivate }) => {
      return { id, title: isPrivate && !isPrivateShown ? '' : title, createdAt, updatedAt, messages, pinned, isPrivate }
    })
  const lines = sessions.map(
    ({ id, updatedAt, messages, title, isPrivate }) =>
      `${id}  ${new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${String(messages).padStart(4)}  ${isPrivate ? '(private) ' : ''}${title.replaceAll(/\s+/g, ' ')}`,
  )
  return { value: { sessions }, text: lines.join('\n') }
}
