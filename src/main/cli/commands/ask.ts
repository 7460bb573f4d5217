/** Asks the agent. */
import type { SearchResponse } from '../../../shared/contract/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { messageText, noUsage, type Message, type Usage } from '../../../shared/messages.ts'
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
    if (message.role !== 'toolResult' || typeof message.details !== 'object' || message.details === null) continue
    if ('recall' in message.details) {
      const { query, results } = message.details.recall as SearchResponse
      recalls.push({ query, results: results.map(withoutExtras) })
    } else if ('change' in message.details) {
      writes.push({ path: (message.details.change as { path: string }).path, cause: 'agent' })
    }
  }
  return { recalls, writes }
}

function totalUsage(messages: readonly Message[]) {
  return messages.reduce((sum, message) => {
    if (message.role !== 'assistant') return sum
    const { input, output, cacheRead, cacheWrite, totalTokens, cost } = message.usage
    return {
      input: sum.input + input,
      output: sum.output + output,
      cacheRead: sum.cacheRead + cacheRead,
      cacheWrite: sum.cacheWrite + cacheWrite,
      totalTokens: sum.totalTokens + totalTokens,
      ...(cost || sum.cost ? { cost: { total: (sum.cost?.total ?? 0) + (cost?.total ?? 0) } } : {}),
    }
  }, noUsage as Usage)
}
