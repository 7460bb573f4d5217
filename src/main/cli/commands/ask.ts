/** Asks the agent. */
import { AppError } from '../../../shared/errors.ts'
import { addUsage, messageText, noUsage, type Message, type Usage } from '../../../shared/messages.ts'
import type { Runtime } from '../../owner/index.ts'
import { setUpOnce } from '../first-use.ts'
import type { CommonFlags } from '../flags.ts'
import { withoutExtras, type Output } from '../output.ts'

export async function ask(
  { client, base }: Runtime,
  { agent, model }: CommonFlags & { model?: string },
  message: string,
): Promise<Output> {
  await setUpOnce(client, base, agent)
  await client.search.settle({ agent })
  const { session } = await client.chat.send({ agent, text: message, ...(model === undefined ? {} : { model }) })
  for await (const event of await client.chat.watch({ agent, session }))
    if (event.type === 'turnEnd' || (event.type === 'partial' && !event.running)) break
  const messages = (await client.sessions.get({ agent, session })).messages.map((entry) => entry.message)
  const last = messages.findLast((entry) => entry.role === 'assistant')
  if (last?.role !== 'assistant') throw new AppError('internal', 'the agent did not answer')
  if (last.stopReason === 'error') throw new AppError('provider_error', last.errorMessage ?? 'the model failed')
  const value = { session, text: messageText(last), ...tracesOf(messages), usage: totalUsage(messages) }
  return { value, text: value.text }
}

/** What the turn recalled and wrote, from the details that its tools left in the transcript. */
function tracesOf(messages: readonly Message[]) {
  const recalls: { query: string; results: object[] }[] = []
  const writes: { path: string; cause: string }[] = []
  for (const message of messages) {
    if (message.role !== 'toolResult') continue
    const { details } = message
    if (details?.kind === 'recall')
      recalls.push({ query: details.recall.query, results: details.recall.results.map(withoutExtras) })
    else if (details?.kind === 'change') writes.push({ path: details.change.path, cause: 'agent' })
  }
  return { recalls, writes }
}

function totalUsage(messages: readonly Message[]): Usage {
  return messages.reduce((sum, message) => (message.role === 'assistant' ? addUsage(sum, message.usage) : sum), noUsage)
}
