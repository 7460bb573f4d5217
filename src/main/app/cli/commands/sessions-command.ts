import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import type { CommonFlags } from '../flags.ts'
import type { Output } from '../cli-output.ts'

export async function sessions({ client }: PrimaryClient, { agent }: CommonFlags): Promise<Output> {
  const found = (await client.sessions.list({ agent })).toSorted((one, other) => other.updatedAt - one.updatedAt)
  const value = {
    sessions: found.map(({ id, title, createdAt, updatedAt, messages, pinned }) => ({
      id,
      title,
      createdAt,
      updatedAt,
      messages,
      pinned,
    })),
  }
  const lines = found.map(
    ({ id, updatedAt, messages, title }) =>
      `${id}  ${new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${String(messages).padStart(4)}  ${title.replaceAll(/\s+/g, ' ')}`,
  )
  return { value, text: lines.join('\n') }
}
