import { setTimeout as sleep } from 'node:timers/promises'
import { commands, parseCommand, unknownCommand, type CommandCall } from '#shared/chat/messages.ts'
import type { SendInput } from '#shared/contract/index.ts'
import { AppError, isAbort } from '#shared/util/errors.ts'
import { EventEmitter, OpenQuestions, type Subscribable, Outbound } from '#platform'
import type { Transcript } from '../sessions/transcript.ts'
import {
  endSession,
  generateTitle,
  keepRequested,
  modelOfChat,
  noteMissingTools,
  notePrivateMatches,
  takeMissingNotes,
} from './after-turn.ts'
import type { ChatOptions } from './chat-options.ts'
import { runCommand, faultMessage, runTurn, storeMessage } from './turn.ts'
import { assertHasNoPrivateLine, assertSupportsImages, composeMessage, recordModelChange } from './compose-message.ts'
import { LiveTurns, type TurnEndReason } from './live-turns.ts'
import type { QueuedEntry } from './message-queue.ts'
import { isOver, SessionService } from '../sessions/session-service.ts'
import { createChatServices, createTurnContext, type ChatServices } from './turn-context.ts'

export interface SendResult {
  readonly session: string
  readonly queued: boolean
  readonly ended: Promise<void>
}

type TurnEndEvent = Readonly<{ session: string; reason: TurnEndReason; ms: number }>

export class Chat {
  readonly #changes = new EventEmitter<TurnEndEvent>()
  readonly changes: Subscribable<TurnEndEvent> = this.#changes
  readonly meter: ChatServices['meter']
  readonly endings: SessionService
  readonly #services: ChatServices
  readonly turns: LiveTurns
  readonly permissions: ChatServices['permissions']
  readonly #backgroundTasks = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(options: ChatOptions) {
    const { sessions, queue } = options
    const permissions: ChatServices['permissions'] = new OpenQuestions(({ session }) =>
      this.turns.emitPending(session, 'permissions'),
    )
    this.permissions = permissions
    this.turns = new LiveTurns({
      pendingInput: (session) => ({
        queue: queue.list(session),
        permissions: permissions.list().filter((question) => question.session === session),
      }),
      onStart: (session) => {
        sessions.active.add(session)
        this.endings.stop(session)
      },
      onFault: (session, error) => this.#emitFault(session, error),
      onEnd: (session, reason, ms) => {
        sessions.active.delete(session)
        this.#changes.emit({ session, reason, ms })
        if (reason === 'done') void this.#afterTurn(session)
        // A failed or stopped answer does not void the request to remember something.
        else if (!this.#closing.signal.aborted)
          this.#runInBackground(session, () => keepRequested(session, this.#services))
      },
    })
    const { turns } = this
    this.#services = createChatServices(options, turns, permissions)
    this.meter = this.#services.meter
    this.endings = new SessionService({
      ...options,
      isBusy: (session) => turns.ended(session) !== undefined,
      end: (transcript, signal) => endSession(transcript, this.#services, signal),
      takeNotes: (transcript, signal) => takeMissingNotes(transcript, this.#services, signal),
    })
  }

  /**
   * Stores the message and starts the turn, or runs the command. Resolves once the message is on disk; `ended` resolves
   * after the answer. A message sent while an answer runs is queued. If the session is over, a new one opens. The text
   * after `/new` is the first message of the new session.
   * @throws AppError `unknown_session`, `provider_key_missing`, `images_unsupported`, `input_invalid`, `unknown_command`,
   * `disk_full`, `session_busy` if the message replaces one while an answer runs, `message_private`
   */
  async send(input: SendInput): Promise<SendResult> {
    const { text, attachments = [], session } = input
    if (text.trim() === '' && attachments.length === 0)
      throw new AppError('input_invalid', 'the message is empty', { reason: 'empty' })
    const mayBeCommand = attachments.length === 0 && input.isMessage !== true
    const command = mayBeCommand ? parseCommand(text) : undefined
    // The editor of a message that was sent before offers no other way to send it.
    const unknown = mayBeCommand && input.replaces === undefined ? unknownCommand(text) : undefined
    if (unknown !== undefined) {
      const list = commands.map(({ name }) => `/${name}`).join(', ')
      const message = `there is no command /${unknown}; there are ${list}. \`ask --as-message\` sends it to the model`
      throw new AppError('unknown_command', message, { command: unknown, commands: list })
    }
    const startsSession = command?.name === 'new' || command?.name === 'reset'
    const firstMessage = startsSession ? command.argument : ''
    const { agentModels, config, privacy, sessions } = this.#services
    await privacy.settle(undefined, session)
    const current = session === undefined ? undefined : await sessions.get(session)
    const isPrivate = current?.isPrivate ?? input.isPrivate ?? config.current.chat.default === 'private'
    const isStored = command?.name !== 'search' && command?.name !== 'model'
    if (isStored && !isPrivate && !input.sendAnyway)
      await assertHasNoPrivateLine(privacy, command?.argument ?? text, attachments)
    const runningTurn = session === undefined ? undefined : this.turns.ended(session)
    if (session !== undefined && runningTurn !== undefined) return this.#enqueue(session, runningTurn, input, command)
    const model =
      command && firstMessage === '' && input.model === undefined
        ? agentModels.createOrOffline(undefined, isPrivate)
        : agentModels.createFor(isPrivate, input.model)
    assertSupportsImages(model, attachments)
    const { id, transcript } = await this.#sessionFor(input, startsSession, isPrivate)
    if (firstMessage !== '')
      return this.send({ ...input, text: firstMessage, isMessage: true, session: id, replaces: undefined })
    if (startsSession) return { session: id, queued: false, ended: Promise.resolve() }
    // Another window may have started a turn meanwhile.
    const concurrentTurn = this.turns.ended(id)
    if (concurrentTurn !== undefined) return this.#enqueue(id, concurrentTurn, input, command)
    const target = { transcript, model }
    const messageStored = Promise.withResolvers<void>()
    const ended = this.turns.start(id, async (signal) => {
      try {
        if (input.replaces !== undefined) await transcript.moveTo(transcript.parentOf(input.replaces))
        if (!command) {
          await recordModelChange(transcript, model, config.current.model)
          await storeMessage(target, await composeMessage(input, target, this.#services, signal), this.#services)
        }
        messageStored.resolve()
      } catch (error) {
        // The caller of `send` gets the error and still has the text.
        messageStored.reject(error)
        return 'error'
      }
      const usesChatModel = command?.name === 'compact' && input.model === undefined
      const turnModel = usesChatModel ? await modelOfChat(transcript, agentModels) : model
      const context = await createTurnContext(this.#services, { ...target, model: turnModel }, signal)
      if (!command) return runTurn(context, this.#services)
      return runCommand(command, context, this.#services)
    })
    await messageStored.promise
    return { session: id, queued: false, ended }
  }

  async #enqueue(
    session: string,
    ended: Promise<void>,
    { text, attachments = [], replaces, delivery, model, isMessage }: SendInput,
    command: CommandCall | undefined,
  ): Promise<SendResult> {
    if (replaces !== undefined) throw sessionBusy(session)
    // The running turn keeps its model.
    const queuedDelivery = command || model !== undefined ? 'after' : (delivery ?? 'next')
    await this.#services.queue.add(session, { text, attachments, delivery: queuedDelivery, model, isMessage })
    this.turns.emitPending(session, 'queue')
    // The answer may have ended while the message was saved.
    if (this.turns.ended(session) === undefined) void this.#afterTurn(session)
    return { session, queued: true, ended }
  }

  /**
   * Answers a user message again on a new branch, or continues an interrupted answer.
   * @param message id of the user message or of an answer to it; undefined to continue
   * @param compacts true to run `/compact` first
   * @throws AppError `session_busy`, `unknown_session`, `input_invalid`, `provider_key_missing`
   */
  async retry(session: string, message?: string, modelId?: string, compacts = false) {
    await this.#services.privacy.settle(undefined, session)
    const transcript = await this.idleTranscript(session)
    const model = this.#services.agentModels.createFor(transcript.isPrivate, modelId)
    if (message !== undefined) {
      const userEntry = transcript
        .branch(message)
        .findLast((entry) => entry.type === 'message' && entry.message.role === 'user')
      if (!userEntry) throw new AppError('input_invalid', 'there is nothing to answer again', { reason: message })
      await transcript.moveTo(userEntry.id)
    }
    const last = transcript.messages().at(-1)
    // A compaction keeps the last message. Without the failed answer, it is the message to send again.
    if (compacts && last?.message.role === 'assistant' && last.message.stopReason === 'error')
      await transcript.moveTo(transcript.parentOf(last.id))
    const ended = this.turns.start(session, async (signal) => {
      await recordModelChange(transcript, model, this.#services.config.current.model)
      const context = await createTurnContext(this.#services, { transcript, model }, signal)
      const command = { name: 'compact', argument: '' } as const
      if (compacts && (await runCommand(command, context, this.#services)) === 'error') return 'error'
      return runTurn(context, this.#services)
    })
    return { ended }
  }

  /** Deletes a message and all after it from the branch. `undelete` restores them. @throws AppError as `idleTranscript`, `input_invalid` */
  async deleteFrom(session: string, entry: string): Promise<void> {
    const transcript = await this.idleTranscript(session)
    await transcript.moveTo(transcript.parentOf(entry), { deleted: entry })
  }

  /** Restores the messages that `deleteFrom` deleted. @throws AppError as `deleteFrom` */
  async undelete(session: string, entry: string): Promise<void> {
    const transcript = await this.idleTranscript(session)
    await transcript.switchTo(entry)
    await transcript.moveTo(transcript.branch().at(-1)?.id ?? null, { restored: entry })
  }

  /** Makes the whole chat private, after its running turn is stopped. @throws AppError `unknown_session` */
  async makePrivate(session: string): Promise<void> {
    await this.turns.stop(session)
    await (await this.#services.sessions.get(session)).setPrivate(true)
  }

  async unqueue(session: string, id: string): Promise<void> {
    await this.#services.queue.remove(session, id)
    this.turns.emitPending(session, 'queue')
  }

  /** @throws AppError as `send` */
  async sendQueued(session: string): Promise<void> {
    await this.idleTranscript(session)
    const first = this.#services.queue.takeFirst(session)
    if (first) await this.#sendFromQueue(session, first)
  }

  /** @param finishMs time for work that follows an answer or the end of a session, such as a title */
  async close(finishMs = 0): Promise<void> {
    const work = Promise.all([...this.#backgroundTasks, this.endings.settle()])
    await Promise.race([work, sleep(finishMs, undefined, { ref: false })])
    this.#closing.abort()
    await this.turns.close()
    await Promise.all(this.#backgroundTasks)
    await this.endings.close()
  }

  /** @param isNew true to start a session even if the current one has not ended @param wasPrivate privacy of the current one */
  async #sessionFor(input: SendInput, isNew: boolean, wasPrivate: boolean) {
    const { session, replaces, reopen, withoutMemory = false } = input
    const { sessions, config, now } = this.#services
    const current = session === undefined ? undefined : { id: session, transcript: await sessions.get(session) }
    if (current && isNew && current.transcript.entries.length === 0) return current
    const hasEnded = current && isOver(current.transcript, now(), config.current.session.reset)
    const canContinue = replaces !== undefined || reopen === true || !hasEnded
    if (current && !isNew && canContinue) return current
    if (current && isNew) await this.endings.end(current.id)
    else if (current) void this.endings.check()
    const created = await sessions.create(now())
    // If the old session was over, the new one inherits its memory mode. A private one is always followed by a private one.
    const isWithoutMemory = current && !isNew ? current.transcript.isWithoutMemory : withoutMemory
    if (isWithoutMemory) await created.transcript.setWithoutMemory(true)
    if (input.isPrivate ?? wasPrivate) await created.transcript.setPrivate(true)
    return created
  }

  /** Returns the transcript of a session without a running turn. @throws AppError `session_busy`, `unknown_session` */
  async idleTranscript(session: string): Promise<Transcript> {
    if (this.turns.ended(session) !== undefined) throw sessionBusy(session)
    return this.#services.sessions.get(session)
  }

  async #afterTurn(session: string): Promise<void> {
    if (this.#closing.signal.aborted) return
    const { signal } = this.#closing
    for (const work of [noteMissingTools, notePrivateMatches, keepRequested])
      this.#runInBackground(session, () => work(session, this.#services, signal))
    const next = this.#services.queue.takeFirst(session)
    if (!next) return this.#runInBackground(session, () => generateTitle(session, this.#services, signal))
    try {
      await this.#sendFromQueue(session, next)
    } catch (error) {
      this.#emitFault(session, error)
    }
  }

  async #sendFromQueue(session: string, message: QueuedEntry): Promise<void> {
    const { queue } = this.#services
    this.turns.emitPending(session, 'queue')
    try {
      const { text, attachments, id, model, isMessage } = message
      await this.send({ text, attachments, session, model, isMessage, reopen: true, sendAnyway: true })
      await queue.markDelivered(session, id)
    } catch (error) {
      queue.requeue(message)
      this.turns.emitPending(session, 'queue')
      throw error
    }
  }

  #runInBackground(session: string, work: () => Promise<void>): void {
    const task = Outbound.chat.run(session, work).catch((error: unknown) => {
      if (!this.#closing.signal.aborted || !isAbort(error)) this.#services.onFault(error)
    })
    this.#backgroundTasks.add(task)
    void task.finally(() => this.#backgroundTasks.delete(task))
  }

  #emitFault(session: string, error: unknown): void {
    if (this.#closing.signal.aborted) return
    this.turns.emit(session, faultMessage(error, this.#services))
  }
}

function sessionBusy(session: string): AppError {
  return new AppError('session_busy', 'this chat is still answering; stop it first', { session })
}
