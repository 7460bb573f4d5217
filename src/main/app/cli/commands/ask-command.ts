import { parseCommand, commands } from '#shared/chat/commands.ts'
import type { ContractClient, SessionMessage, CommandOutcome } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Message, type Usage } from '#shared/chat/messages.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { setUpOnce } from '../first-use.ts'
import type { AskFlags } from '../flags.ts'
import { LiveOutput } from '../live-output.ts'
import { printedFields, type Output } from '../cli-output.ts'

/** @throws AppError `unknown_session`, `provider_error` if the model fails, `internal` without an answer */
export async function ask({ client, base }: PrimaryClient, flags: AskFlags, message: string): Promise<Output> {
  const { agent, model, json = false } = flags
  await setUpOnce(client, base, agent)
  await client.search.settle({ agent })
  const before = flags.session === undefined ? undefined : await sessionOf(client, agent, flags.session)
  const known = new Set(before === undefined ? [] : (await entriesOf(client, agent, before)).ids)
  const { session, queued } = await client.chat.send({
    agent,
    text: message,
    reopen: true,
    // Wait for an answer that another window has started.
    delivery: 'after',
    ...(before === undefined ? { withoutMemory: flags.withoutMemory === true } : { session: before }),
    ...(model === undefined ? {} : { model }),
  })
  const live = json ? undefined : new LiveOutput(known)
  await follow(client, { agent, session }, queued, live)
  const { messages, outcome } = await entriesOf(client, agent, session)
  const added = messages.filter(({ id }) => !known.has(id))
  for (const entry of added) live?.message(entry)
  live?.end()
  const mine = added.map((entry) => entry.message)
  const last = mine.findLast((entry) => entry.role === 'assistant')
  if (last?.role !== 'assistant') {
    if (!parseCommand(message)) throw new AppError('internal', 'the agent did not answer')
    const text = startsChat(message) ? describeStart(before, session) : outcome ? describeOutcome(outcome) : ''
    const value = { session, text, ...recallsAndWrites(mine), usage: noUsage, outcome: outcome ?? null }
    if (outcome?.kind === 'failed') return { value, text: '', warning: text, isFailure: true }
    return { value, text }
  }
  if (last.stopReason === 'error') throw new AppError('provider_error', last.errorMessage ?? 'the model failed')
  const value = { session, text: messageText(last), ...recallsAndWrites(mine), usage: totalUsage(mine) }
  return { value, text: live ? '' : value.text }
}

function startsChat(message: string): boolean {
  const name = parseCommand(message)?.name
  return name === 'new' || name === 'reset'
}

function describeStart(before: string | undefined, session: string): string {
  if (before === session) return `${session} is already new and empty`
  const ended = before === undefined ? '' : `; ${before} has ended`
  return `a new chat has begun: ${session}${ended}. Continue it with --session last`
}

/**
 * @param wanted an id, a prefix of it or of the part after its date, or `last`
 * @throws AppError `unknown_session`
 */
async function sessionOf(client: ContractClient, agent: string, wanted: string): Promise<string> {
  const sessions = await client.sessions.list({ agent, empty: true })
  const found =
    wanted === 'last'
      ? sessions.toSorted((one, other) => other.updatedAt - one.updatedAt).slice(0, 1)
      : sessions.filter(({ id }) => id.startsWith(wanted) || id.split('_').at(-1)?.startsWith(wanted))
  const exact = found.filter(({ id }) => id === wanted)
  const [only, ...others] = exact.length > 0 ? exact : found
  if (only && others.length === 0) return only.id
  const words = only ? `more than one chat starts with ${wanted}` : `there is no chat ${wanted}`
  throw new AppError('unknown_session', `${words}; \`sessions\` lists them`, { session: wanted })
}

async function follow(
  client: ContractClient,
  target: { readonly agent: string; readonly session: string },
  queued: boolean,
  live: LiveOutput | undefined,
): Promise<void> {
  if (live) for (const entry of (await client.sessions.get(target)).messages) live.message(entry)
  let waiting = queued ? 1 : 0
  if (queued) live?.note('waiting for the current answer to end')
  for await (const event of await client.chat.watch(target)) {
    if (event.type === 'partial') {
      waiting = event.queue.length
      if (!event.running && waiting === 0) return
      if (waiting === 0) live?.text(event.text)
    } else if (event.type === 'queue') waiting = event.queue.length
    else if (event.type === 'turnEnd') {
      if (waiting === 0 || event.reason !== 'done') return
    } else if (event.type === 'permissions') {
      for (const { id, server, tool } of event.permissions) {
        live?.note(`${tool} of ${server} needs a permission that only an app window can give: denied`)
        await client.chat.permit({ ...target, id, decision: 'deny' })
      }
    } else if (waiting === 0) live?.event(event)
  }
}

async function entriesOf(client: ContractClient, agent: string, session: string) {
  const { messages, events } = await client.sessions.get({ agent, session })
  const last = events.at(-1)?.event
  return {
    messages,
    ids: messages.map(({ id }: SessionMessage) => id),
    outcome: last?.type === 'command' ? last.outcome : undefined,
  }
}

function recallsAndWrites(messages: readonly Message[]) {
  const recalls: { query: string; results: object[] }[] = []
  const writes: { path: string; cause: string }[] = []
  for (const message of messages) {
    if (message.role !== 'toolResult') continue
    const { details } = message
    if (details?.kind === 'recall')
      recalls.push({ query: details.recall.query, results: details.recall.results.map(printedFields) })
    else if (details?.kind === 'change') writes.push({ path: details.change.path, cause: 'agent' })
  }
  return { recalls, writes }
}

function totalUsage(messages: readonly Message[]): Usage {
  return messages.reduce((sum, message) => (message.role === 'assistant' ? addUsage(sum, message.usage) : sum), noUsage)
}

function describeOutcome(outcome: CommandOutcome): string {
  switch (outcome.kind) {
    case 'compacted':
      return `summarised: ${outcome.before} → ${outcome.after} tokens`
    case 'nothingToCompact':
      return 'there is nothing to summarise yet'
    case 'needsArgument':
      return `add an argument: /${outcome.command} …`
    case 'remembered':
      return `${outcome.change.path}:${outcome.change.startLine}`
    case 'found':
      return outcome.results
        .map(({ path, startLine, score, snippet }) =>
          [`${score.toFixed(2)}  ${path}:${startLine}`, ...(snippet === undefined ? [] : [`      ${snippet}`])].join(
            '\n',
          ),
        )
        .join('\n')
    case 'model':
      return outcome.model
    case 'agent':
      return `${outcome.agent}: ${outcome.workspace}`
    case 'status':
      return [
        `${outcome.tokens} of ${outcome.contextWindow} tokens; ${outcome.files} files, ${outcome.chunks} chunks; ${outcome.model}`,
        ...(outcome.flushAt === undefined ? [] : [`memory is written at ${outcome.flushAt} tokens`]),
        ...(outcome.compactAt === undefined ? [] : [`the conversation is summarised at ${outcome.compactAt} tokens`]),
      ].join('; ')
    case 'help':
      return commands.map(({ name, argument }) => `/${name}${argument ? ` <${argument}>` : ''}`).join('\n')
    case 'failed':
      return outcome.message ?? 'the command failed'
  }
}
