import i18next from 'i18next'
import {
  parseCommand,
  commands,
  addUsage,
  messageText,
  noUsage,
  type AssistantMessage,
  type Message,
  isSuggestedChange,
} from '#shared/chat/messages.ts'
import type { ContractClient, CommandOutcome, ChatEvent, ChatMessage } from '#shared/contract/index.ts'
import type { PrimaryClient } from '../../instance-lock/with-primary.ts'
import { setUpAtFirstUse } from '../open-memory.ts'
import type { AskFlags } from '../flags.ts'
import { printedFields, type Output, escapeControls, UsageError } from '../cli-output.ts'
import { codeText, t } from '../../texts.ts'

/** @throws UsageError for an unknown chat, AppError `message_private`, Error if the model fails or does not answer */
export async function ask({ client, base }: PrimaryClient, flags: AskFlags, message: string): Promise<Output> {
  if (message.trim() === '') throw new UsageError(t('usage.emptyMessage'))
  const { agent, model, withoutMemory, sendAnyway, asMessage: isMessage, private: isPrivate } = flags
  await setUpAtFirstUse(client, base, agent)
  await client.search.settle({ agent })
  const previousSession = flags.session === undefined ? undefined : await resolveSession(client, agent, flags.session)
  const previous = previousSession === undefined ? undefined : { agent, session: previousSession }
  const warnings: string[] = []
  if (isPrivate && previous && !(await client.chats.get(previous)).summary.isPrivate) {
    await client.chats.makePrivate(previous)
    warnings.push(t('ask.private'))
  }
  // `makePrivate` stops a running answer, which the chat then has.
  const known = previous ? (await client.chats.get(previous)).messages : []
  const knownIds = new Set(known.map(({ id }) => id))
  const options = { session: previousSession, withoutMemory, isPrivate, sendAnyway, isMessage, model }
  // Wait for an answer that another window has started.
  const delivery = 'after'
  const { session, queued } = await client.chat.send({ agent, text: message, reopen: true, delivery, ...options })
  const liveOutput = flags.json ? undefined : new LiveOutput(knownIds)
  await followAnswer(client, { agent, session }, queued, liveOutput)
  const { messages, events } = await client.chats.get({ agent, session })
  const lastEvent = events.at(-1)?.event
  const outcome = lastEvent?.type === 'command' ? lastEvent.outcome : undefined
  const newEntries = messages.filter(({ id }) => !knownIds.has(id))
  for (const entry of newEntries) liveOutput?.printMessage(entry)
  liveOutput?.endLine()
  const newMessages = newEntries.map((entry) => entry.message)
  const answer = newMessages.findLast((entry) => entry.role === 'assistant')
  if (answer?.role !== 'assistant') {
    const command = parseCommand(message)
    if (!command) throw new Error(t('ask.noAnswer'))
    const startsChat = ['new', 'reset'].includes(command.name)
    const text = startsChat ? describeStart(previousSession, session) : outcome ? describeOutcome(outcome) : ''
    const value = { session, text, ...recallsAndWrites(newMessages), usage: noUsage, outcome: outcome ?? null }
    if (outcome?.kind === 'failed') return { value, text: '', warning: text, isFailure: true }
    return { value, text }
  }
  if (answer.provider === 'offline' && model === undefined)
    warnings.push(...(await offlineReasons(client, agent, session)))
  if (answer.stopReason === 'error') throw new Error(failureText(answer))
  const usage = newMessages.reduce((sum, one) => (one.role === 'assistant' ? addUsage(sum, one.usage) : sum), noUsage)
  const value = { session, text: messageText(answer), ...recallsAndWrites(newMessages), usage }
  return { value, text: liveOutput ? '' : value.text, warning: warnings.join(t('common.semicolon')) }
}

/** Returns the reason why the offline model answers a private chat instead of the model of the agent, if it does. */
async function offlineReasons(client: ContractClient, agent: string, session: string): Promise<string[]> {
  const [{ summary }, agents, providers] = await Promise.all([
    client.chats.get({ agent, session }),
    client.agents.list(),
    client.settings.providers(),
  ])
  const model = agents.find(({ id }) => id === agent)?.model ?? ''
  const isRemote = providers.some(({ name, isLocal }) => !isLocal && model.startsWith(`${name}/`))
  return summary.isPrivate && isRemote ? [t('ask.offline', { model })] : []
}

function failureText({ errorCode = 'internal', errorMessage, errorData, provider }: AssistantMessage): string {
  return codeText(errorCode, errorMessage ?? t('ask.modelFailed'), { provider, ...errorData })
}

function describeStart(previousSession: string | undefined, session: string): string {
  if (previousSession === session) return t('ask.already', { session })
  if (previousSession === undefined) return t('ask.begun', { session })
  return t('ask.begunAfter', { session, previous: previousSession })
}

/** @param reference start of an id or of the part after its date, or `last` @throws UsageError unless it is one chat */
async function resolveSession(client: ContractClient, agent: string, reference: string): Promise<string> {
  const sessions = await client.chats.list({ agent, empty: true })
  const matches =
    reference === 'last'
      ? sessions.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, 1)
      : sessions.filter(({ id }) => id.startsWith(reference) || id.split('_').at(-1)?.startsWith(reference))
  const exactMatches = matches.filter(({ id }) => id === reference)
  const [match, ...otherMatches] = exactMatches.length > 0 ? exactMatches : matches
  if (match && otherMatches.length === 0) return match.id
  throw new UsageError(t(match ? 'usage.manyChats' : 'usage.noChat', { id: reference }))
}

async function followAnswer(
  client: ContractClient,
  target: { readonly agent: string; readonly session: string },
  queued: boolean,
  liveOutput: LiveOutput | undefined,
): Promise<void> {
  if (liveOutput) for (const entry of (await client.chats.get(target)).messages) liveOutput.printMessage(entry)
  let queueLength = queued ? 1 : 0
  if (queued) liveOutput?.printNote(t('ask.waiting'))
  for await (const event of await client.chat.watch(target)) {
    if (event.type === 'partial') {
      queueLength = event.queue.length
      if (!event.running && queueLength === 0) return
      if (queueLength === 0) liveOutput?.printText(event.text)
    } else if (event.type === 'queue') queueLength = event.queue.length
    else if (event.type === 'turnEnd') {
      if (queueLength === 0 || event.reason !== 'done') return
    } else if (event.type === 'permissions') {
      for (const { id, server, tool } of event.permissions) {
        liveOutput?.printNote(t('ask.denied', { tool, server }))
        await client.chat.permit({ ...target, id, decision: 'deny' })
      }
    } else if (queueLength === 0) liveOutput?.printEvent(event)
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

function describeOutcome(outcome: CommandOutcome): string {
  switch (outcome.kind) {
    case 'compacted':
      return t('ask.compacted', outcome)
    case 'nothingToCompact':
      return i18next.t('command.nothingToCompact')
    case 'needsArgument':
      return i18next.t('command.needsArgument', outcome)
    case 'remembered':
      return `${outcome.change.path}:${outcome.change.startLine}`
    case 'found':
      return outcome.results
        .map(({ path, startLine, score, snippet }) => `${score.toFixed(2)}  ${path}:${startLine}\n      ${snippet}`)
        .join('\n')
    case 'model':
      return outcome.model
    case 'agent':
      return `${outcome.agent}: ${outcome.workspace}`
    case 'status':
      return [
        t('ask.status', { ...outcome, window: outcome.contextWindow, entries: outcome.chunks }),
        ...(outcome.flushAt === undefined ? [] : [t('ask.flushAt', { tokens: outcome.flushAt })]),
        ...(outcome.compactAt === undefined ? [] : [t('ask.compactAt', { tokens: outcome.compactAt })]),
      ].join(t('common.semicolon'))
    case 'help':
      return commands.map(({ name, argument }) => `/${name}${argument ? ` <${argument}>` : ''}`).join('\n')
    case 'failed':
      return codeText(outcome.code, outcome.message, outcome.data)
  }
}

const maxCharacters = 120

/** Prints an answer to stdout as it arrives, and notes to stderr. Skips messages whose ids are in `knownIds`. */
class LiveOutput {
  readonly #printedIds: Set<string>
  #printedText = ''
  #isLineOpen = false

  constructor(knownIds: ReadonlySet<string>) {
    this.#printedIds = new Set(knownIds)
  }

  printEvent(event: ChatEvent): void {
    if (event.type === 'text') this.printText(event.delta)
    else if (event.type === 'message') this.printMessage(event)
    else if (event.type === 'retrying') {
      const sentence = clip(codeText(event.code, event.message, event.data)).replace(/[^.?!…。？！]$/, '$&.')
      this.printNote(t('ask.retrying', { reason: sentence, seconds: Math.ceil(event.afterMs / 1000) }))
    } else if (event.type === 'keeping') this.printNote(t(event.what === 'flush' ? 'ask.flush' : 'ask.summarising'))
  }

  printText(delta: string): void {
    if (delta === '') return
    this.#printedText += delta
    this.#write(delta)
  }

  printMessage({ id, message }: Pick<ChatMessage, 'id' | 'message'>): void {
    if (this.#printedIds.has(id)) return
    this.#printedIds.add(id)
    if (message.role === 'toolResult' && message.isError) {
      const key = isSuggestedChange(message) ? 'ask.proposed' : 'ask.failed'
      this.printNote(t(key, { tool: message.toolName, text: clip(messageText(message)) }))
    }
    if (message.role !== 'assistant') return
    const text = messageText(message)
    if (text.startsWith(this.#printedText)) this.#write(text.slice(this.#printedText.length))
    this.#printedText = ''
    this.endLine()
    for (const part of message.content)
      if (part.type === 'toolCall') this.printNote(`${part.name} ${clip(JSON.stringify(part.arguments))}`)
    if (message.unreadCall) this.printNote(i18next.t('chat.unreadCall'))
    if (message.stopReason !== 'length') return
    this.printNote(message.cutCall === undefined ? t('ask.cut') : t('ask.cutCall', { tool: clip(message.cutCall) }))
  }

  printNote(line: string): void {
    this.endLine()
    process.stderr.write(escapeControls(`· ${line}\n`))
  }

  endLine(): void {
    if (this.#isLineOpen) process.stdout.write('\n')
    this.#isLineOpen = false
  }

  #write(text: string): void {
    if (text === '') return
    process.stdout.write(escapeControls(text))
    this.#isLineOpen = !text.endsWith('\n')
  }
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters).toWellFormed()} …` : line
}
