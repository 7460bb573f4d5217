import { randomUUID } from 'node:crypto'
import { parseCommand, type CommandCall } from '#shared/chat/commands.ts'
import type { ChatEvent } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { noUsage, type Message } from '#shared/chat/messages.ts'
import { EventEmitter, type Subscribable } from '#platform'
import { calibrationFactor } from '../compaction/due-steps.ts'
import { reportOf } from '../context/context-timeline.ts'
import { withUniqueCallIds } from '../context/request-history.ts'
import { AnswerDraft, type ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import { AgentModels } from './agent-models.ts'
import { runCommand } from './commands.ts'
import { DeferredNotes } from '../compaction/deferred-notes.ts'
import { hasVerbatimEntries } from '../compaction/verbatim-fallback.ts'
import { LiveTurns, type RunningTurn } from './live-turns.ts'
import { summarizedCount, saveSessionSummary, summaryEntry, isSessionOver } from './session-summary.ts'
import { ContextMeter } from './context-meter.ts'
import { PermissionRequests, type Decision } from '../tools/tool-permissions.ts'
import { MessageQueue, type QueuedEntry } from './message-queue.ts'
import { RequestBuilder } from './model-request.ts'
import { assertSupportsImages, createUserMessage, recordModelChange, type UserInput } from './user-message.ts'
import { generateTitle } from './title.ts'
import { runTurn, type TurnEndReason } from './turn.ts'
import { createTurnContext, type TurnContext, type ChatOptions } from './turn-context.ts'

export interface SendInput extends UserInput {
  readonly session?: string | undefined
  readonly model?: string | undefined
  /** Id of the message that this one replaces; the answer goes to a new branch. */
  readonly replaces?: string | undefined
  /** Delivery of a queued message: `next` within the running turn (the default), `after` once it has ended. */
  readonly delivery?: 'next' | 'after' | undefined
  readonly withoutMemory?: boolean | undefined
  /** True to continue a session that its reset rule has ended. */
  readonly reopen?: boolean | undefined
}

export interface SendResult {
  readonly session: string
  readonly queued: boolean
  readonly ended: Promise<void>
}

export interface TurnEndEvent {
  readonly session: string
  readonly reason: TurnEndReason
  readonly ms: number
}

const maxSummaryMessages = 15

export class Chat {
  readonly changes: Subscribable<TurnEndEvent>
  readonly meter: ContextMeter
  readonly #changes = new EventEmitter<TurnEndEvent>()
  readonly #options: ChatOptions
  readonly #models: AgentModels
  readonly #requests: RequestBuilder
  readonly #turns: LiveTurns
  readonly #background: BackgroundTasks
  readonly #deferredNotes = new DeferredNotes()
  readonly #endingSessions = new Set<string>()
  readonly #closing = new AbortController()
  readonly #queue: MessageQueue
  /** Queue ids of the user messages that the running turn has taken from the queue. */
  readonly #queuedIds = new WeakMap<Message, string>()
  readonly #permissions: PermissionRequests

  constructor(options: ChatOptions) {
    const { config, sessions, models, windowEstimates, look } = options
    this.changes = this.#changes
    this.#options = options
    this.#queue = options.queue
    this.#models = new AgentModels(models, config, windowEstimates, look)
    this.#requests = new RequestBuilder(options)
    this.meter = new ContextMeter({ ...options, models: this.#models, requests: this.#requests })
    this.#background = new BackgroundTasks(options.onFault)
    this.#permissions = new PermissionRequests((session) =>
      this.#turns.emit(session, { type: 'permissions', permissions: this.#permissions.listOpen(session) }),
    )
    this.#turns = new LiveTurns({
      onStart: (session) => sessions.markActive(session),
      onFault: (session, error) => this.#emitFault(session, error),
      onEnd: (session, reason, ms) => {
        sessions.markIdle(session)
        this.#changes.emit({ session, reason, ms })
        if (reason === 'done') void this.#afterTurn(session)
      },
    })
    // Watchers receive messages in full; after other entries they refetch the transcript.
    sessions.changes.subscribe(({ session, entry }) => {
      if (entry && entry.type !== 'message' && !reportOf(entry)) this.#turns.emit(session, { type: 'changed' })
    })
  }

  /**
   * Stores the message and starts the turn, or runs the command. Resolves once the message is on disk; `ended` resolves
   * after the answer. A message sent while an answer runs is queued. If the session is over, a new one opens.
   * @throws AppError `unknown_session`, `provider_key_missing`, `images_unsupported`, `input_invalid`, `disk_full`,
   * `session_busy` if the message replaces one while an answer runs
   */
  async send(input: SendInput): Promise<SendResult> {
    const { text, attachments = [], session } = input
    if (text.trim() === '' && attachments.length === 0)
      throw new AppError('input_invalid', 'the message is empty', { reason: 'empty' })
    const command = attachments.length === 0 ? parseCommand(text) : undefined
    const runningTurn = session === undefined ? undefined : this.#turns.get(session)
    if (session !== undefined && runningTurn) return this.#enqueue(session, runningTurn, input, command)
    const model = command ? this.#models.createOrOffline() : this.#models.create(input.model)
    assertSupportsImages(model, attachments)
    const { id, transcript } = await this.#sessionFor(input, command)
    if (command?.name === 'new' || command?.name === 'reset')
      return { session: id, queued: false, ended: Promise.resolve() }
    // Another window may have started a turn meanwhile.
    const concurrentTurn = this.#turns.get(id)
    if (concurrentTurn) return this.#enqueue(id, concurrentTurn, input, command)
    const messageStored = Promise.withResolvers<void>()
    const turn = this.#turns.start(id, async (signal) => {
      try {
        if (input.replaces !== undefined) await transcript.moveTo(transcript.parentOf(input.replaces))
        if (!command) await this.#storeUserMessage(id, transcript, model, input)
        messageStored.resolve()
      } catch (error) {
        // The caller of `send` gets the error and still has the text.
        messageStored.reject(error)
        return 'error'
      }
      const context = await this.#createTurnContext(id, transcript, model, signal)
      return command ? this.#runCommand(command, context) : this.#answer(context)
    })
    await messageStored.promise
    return { session: id, queued: false, ended: turn.ended }
  }

  async #enqueue(
    session: string,
    runningTurn: RunningTurn,
    { text, attachments = [], replaces, delivery }: SendInput,
    command: CommandCall | undefined,
  ): Promise<SendResult> {
    if (replaces !== undefined) throw sessionBusy(session)
    await this.#queue.add(session, { text, attachments, delivery: command ? 'after' : (delivery ?? 'next') })
    this.#emitQueue(session)
    // The answer may have ended while the message was saved.
    if (!this.#turns.get(session)) void this.#afterTurn(session)
    return { session, queued: true, ended: runningTurn.ended }
  }

  /**
   * Answers a user message again on a new branch.
   * @param message id of the user message or of an answer to it
   * @throws AppError `session_busy`, `unknown_session`, `input_invalid`, `provider_key_missing`
   */
  async retry(session: string, message: string, modelId?: string): Promise<{ ended: Promise<void> }> {
    const model = this.#models.create(modelId)
    const transcript = await this.#idleTranscript(session)
    const userEntry = transcript
      .branchTo(message)
      .findLast((entry) => entry.type === 'message' && entry.message.role === 'user')
    if (!userEntry) throw new AppError('input_invalid', 'there is nothing to answer again', { reason: message })
    await transcript.moveTo(userEntry.id)
    return this.#answerAgain(session, transcript, model)
  }

  /** Continues an interrupted answer. @throws AppError `session_busy`, `unknown_session`, `provider_key_missing` */
  async resume(session: string): Promise<{ ended: Promise<void> }> {
    const model = this.#models.create()
    const transcript = await this.#idleTranscript(session)
    return this.#answerAgain(session, transcript, model)
  }

  /** Switches to another version of a message. @throws AppError `session_busy`, `unknown_session`, `input_invalid` */
  async switchTo(session: string, entry: string): Promise<void> {
    await (await this.#idleTranscript(session)).switchTo(entry)
  }

  /** Deletes a message and all after it from the branch. `undelete` restores them. @throws AppError as `switchTo` */
  async deleteFrom(session: string, entry: string): Promise<void> {
    const transcript = await this.#idleTranscript(session)
    await transcript.moveTo(transcript.parentOf(entry), { deleted: entry })
  }

  /** Restores the messages that `deleteFrom` deleted. @throws AppError as `switchTo` */
  async undelete(session: string, entry: string): Promise<void> {
    const transcript = await this.#idleTranscript(session)
    await transcript.switchTo(entry)
    await transcript.moveTo(transcript.branch().at(-1)?.id ?? null, { restored: entry })
  }

  /** Removes a message from the queue; does nothing if it is no longer queued. */
  async unqueue(session: string, id: string): Promise<void> {
    await this.#queue.remove(session, id)
    this.#emitQueue(session)
  }

  /** Sends the oldest queued message after an answer failed or was stopped. @throws AppError as `send` */
  async sendQueued(session: string): Promise<void> {
    await this.#idleTranscript(session)
    const first = this.#queue.takeFirst(session)
    if (first) await this.#sendFromQueue(session, first)
  }

  answerPermission(id: string, decision: Decision): void {
    this.#permissions.answer(id, decision)
  }

  get isAnswering(): boolean {
    return this.#turns.isAnswering
  }

  /** Yields the current state, idle or running, then every event until `signal` aborts. */
  watch(session: string, signal: AbortSignal | undefined): AsyncGenerator<ChatEvent> {
    const getPendingInput = () => ({
      queue: this.#queue.list(session),
      permissions: this.#permissions.listOpen(session),
    })
    return this.#turns.watch(session, getPendingInput, signal)
  }

  /** Retries a request at once if it waits for its retry; otherwise does nothing. */
  retryNow(session: string): void {
    this.#turns.retryNow(session)
  }

  /** Aborts the running turn. Returns false if there is none. */
  stop(session: string): boolean {
    return this.#turns.stop(session)
  }

  /** Returns true if the session's reset rule has ended it: the next message starts a new session. */
  isOver(transcript: Transcript): boolean {
    const lastUserEntry = transcript.messages().findLast(({ message }) => message.role === 'user')
    return (
      lastUserEntry !== undefined &&
      isSessionOver(
        new Date(lastUserEntry.message.timestamp),
        this.#options.now(),
        this.#options.config.current.session.reset,
      )
    )
  }

  /** Stops every turn and waits until partial answers and summaries of ended sessions are on disk. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#turns.close()
    await this.#background.close()
  }

  async #sessionFor(
    { session, replaces, reopen, withoutMemory = false }: SendInput,
    command: CommandCall | undefined,
  ): Promise<{ id: string; transcript: Transcript }> {
    const { sessions, now } = this.#options
    const current = session === undefined ? undefined : { id: session, transcript: await sessions.get(session) }
    const isNew = command?.name === 'new' || command?.name === 'reset'
    if (current && isNew && current.transcript.entries.length === 0) return current
    const canContinue = replaces !== undefined || reopen === true || (current && !this.isOver(current.transcript))
    if (current && !isNew && canContinue) return current
    if (current) this.#background.run(this.#endSession(current.id, current.transcript))
    const created = await sessions.create(now())
    // If the old session was over, the new one inherits its memory mode.
    const isWithoutMemory = current && !isNew ? current.transcript.isWithoutMemory : withoutMemory
    if (isWithoutMemory) await created.transcript.setWithoutMemory(true)
    return created
  }

  /** Returns the transcript of a session without a running turn. @throws AppError `session_busy`, `unknown_session` */
  async #idleTranscript(session: string): Promise<Transcript> {
    if (this.#turns.get(session)) throw sessionBusy(session)
    return this.#options.sessions.get(session)
  }

  async #afterTurn(session: string): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#background.run(this.#distil(session))
    const next = this.#queue.takeFirst(session)
    if (!next) return this.#background.run(this.#generateTitle(session))
    try {
      await this.#sendFromQueue(session, next)
    } catch (error) {
      this.#emitFault(session, error)
    }
  }

  async #sendFromQueue(session: string, message: QueuedEntry): Promise<void> {
    this.#emitQueue(session)
    try {
      const { text, attachments, id } = message
      await this.send({ text, attachments, session, reopen: true })
      await this.#queue.markDelivered(session, id)
    } catch (error) {
      this.#queue.requeue(session, message)
      this.#emitQueue(session)
      throw error
    }
  }

  #answerAgain(session: string, transcript: Transcript, model: ChatModel): { ended: Promise<void> } {
    return this.#turns.start(session, async (signal) => {
      await recordModelChange(transcript, model)
      return this.#answer(await this.#createTurnContext(session, transcript, model, signal))
    })
  }

  async #storeUserMessage(session: string, transcript: Transcript, model: ChatModel, input: SendInput): Promise<void> {
    await recordModelChange(transcript, model)
    await this.#storeAndEmit(session, transcript, createUserMessage(input, this.#options.now()))
  }

  async #storeAndEmit(session: string, transcript: Transcript, message: Message): Promise<void> {
    const { id } = await transcript.appendMessage(message)
    const versions = transcript.messageVersions().get(id)
    this.#turns.emit(session, {
      type: 'message',
      id,
      message,
      ...(versions ? { versions: { ids: [...versions.ids], index: versions.index } } : {}),
    })
    const queuedId = this.#queuedIds.get(message)
    if (queuedId !== undefined) await this.#queue.markDelivered(session, queuedId)
  }

  async #answer(context: TurnContext): Promise<TurnEndReason> {
    const { session, transcript, model, tools, toolContext, contextManager } = context
    const { sessions } = this.#options
    return runTurn({
      model,
      assemble: () => this.#requests.assemble({ model, transcript, tools }),
      withUniqueCallIds: (answer) =>
        withUniqueCallIds(
          answer,
          transcript.messages().map(({ message }) => message),
        ),
      storeMessage: (message) => this.#storeAndEmit(session, transcript, message),
      storeReport: (report) => this.meter.storeReport(session, transcript, report),
      storeRequest: (request) => sessions.storeRequest(session, { model: model.id, ...request }),
      // Continue the answer if the HTTP request cannot be stored; the context view then shows it as not recorded.
      storeWireRequest: (number, wire) =>
        sessions.storeWireRequest(session, number, wire).catch((error: unknown) => {
          if (!(error instanceof AppError)) this.#options.onFault(error)
        }),
      openLiveAnswer: () => sessions.liveAnswer(session, model),
      takeQueuedMessages: async () => {
        const queued = this.#queue.takeNext(session)
        if (queued.length > 0) this.#emitQueue(session)
        return queued.map((entry) => {
          const message = createUserMessage(entry, this.#options.now())
          this.#queuedIds.set(message, entry.id)
          return message
        })
      },
      emit: (event) => this.#turns.emit(session, event),
      onRetryWait: (endWait) => this.#turns.setRetryTrigger(session, endWait),
      tools,
      toolContext,
      contextManager,
    })
  }

  async #runCommand(command: CommandCall, context: TurnContext): Promise<TurnEndReason> {
    const { config, workspace, memory, now } = this.#options
    const outcome = await runCommand(command, { ...context, config, workspace, memory, requests: this.#requests, now })
    return outcome.kind === 'failed' ? 'error' : 'done'
  }

  async #createTurnContext(
    session: string,
    transcript: Transcript,
    model: ChatModel,
    signal: AbortSignal,
  ): Promise<TurnContext> {
    const hooks = {
      permissions: this.#permissions,
      emit: (event: ChatEvent) => this.#turns.emit(session, event),
      lastReport: () => this.meter.lastReport(session, transcript),
      stopDeferredNotes: () => this.#deferredNotes.stop(),
    }
    const options = { ...this.#options, requests: this.#requests }
    return createTurnContext(options, { session, transcript, model }, hooks, signal)
  }

  async #endSession(session: string, transcript: Transcript): Promise<void> {
    if (this.#endingSessions.has(session)) return
    this.#endingSessions.add(session)
    try {
      await this.#summarizeSession(session, transcript)
    } finally {
      this.#endingSessions.delete(session)
    }
  }

  async #summarizeSession(session: string, transcript: Transcript): Promise<void> {
    const { workspace, config, models, look, now } = this.#options
    const { memoryHook } = config.current.session
    const entries = transcript.messages()
    const last = entries.at(-1)
    const messages = entries.slice(summarizedCount(transcript)).map(({ message }) => message)
    if (!memoryHook.enabled || transcript.isWithoutMemory || !last || messages.length === 0) return
    const model = this.#models.createOrOffline()
    const { contextManager } = await this.#createTurnContext(session, transcript, model, new AbortController().signal)
    await contextManager.flushRemaining()
    const { slug: prompt } = await this.#requests.prompts()
    await saveSessionSummary({
      workspace,
      look,
      model,
      prompt,
      sentencesFor: (userTexts) => models.sentencesFor(userTexts),
      messages,
      count: maxSummaryMessages,
      session,
      at: now(),
    })
    await transcript.appendCustom(summaryEntry, { through: last.id })
  }

  /** Distils notes from the oldest text that was saved verbatim because a flush failed. */
  async #distil(session: string): Promise<void> {
    const { sessions, config, now } = this.#options
    if (!config.current.compaction.memoryFlush.enabled || !(await hasVerbatimEntries(this.#options.workspace))) return
    const model = this.#models.createOrOffline()
    // Without a key for the configured model, wait: the offline model would only extract sentences.
    if (model.provider === 'offline' && config.current.model !== 'offline') return
    const transcript = await sessions.get(session)
    if (transcript.isWithoutMemory) return
    const { toolContext } = await this.#createTurnContext(session, transcript, model, this.#closing.signal)
    await this.#deferredNotes.run({
      model,
      transcript,
      toolContext,
      now,
      look: this.#options.look,
      budget: () => this.#requests.budget(model),
      prompts: () => this.#requests.prompts(),
      factor: calibrationFactor(this.meter.lastReport(session, transcript)),
    })
  }

  async #generateTitle(session: string): Promise<void> {
    const { sessions, config } = this.#options
    const transcript = await sessions.get(session)
    const titleContext = { transcript, config, models: this.#models, requests: this.#requests }
    await generateTitle(titleContext, this.#closing.signal)
  }

  #emitFault(session: string, error: unknown): void {
    if (this.#closing.signal.aborted) return
    const isExpected = error instanceof AppError
    const failure = isExpected
      ? { code: error.code, message: error.message, data: error.data }
      : { code: 'internal', message: 'something went wrong', data: { reference: this.#options.onFault(error) } }
    const draft = new AnswerDraft({ provider: 'commonplace', model: '' }, this.#options.now)
    const message = draft.finish('error', noUsage, failure)
    this.#turns.emit(session, { type: 'message', id: `fault-${randomUUID()}`, message })
  }

  #emitQueue(session: string): void {
    this.#turns.emit(session, { type: 'queue', queue: this.#queue.list(session) })
  }
}

function sessionBusy(session: string): AppError {
  return new AppError('session_busy', 'this conversation is still answering; stop it first', { session })
}

class BackgroundTasks {
  readonly #tasks = new Set<Promise<void>>()
  readonly #onFault: (error: unknown) => void

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault
  }

  run(task: Promise<void>): void {
    const guardedTask = task.catch(this.#onFault)
    this.#tasks.add(guardedTask)
    void guardedTask.finally(() => this.#tasks.delete(guardedTask))
  }

  async close(): Promise<void> {
    await Promise.all(this.#tasks)
  }
}
