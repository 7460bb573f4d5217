/** An agent's conversations as they happen: starts turns, lets windows follow them, stops them, ends sessions. */
import { EventPublisher } from '@orpc/server'
import { parseCommand, type CommandCall } from '../../shared/commands.ts'
import type { ChatEvent, CommandOutcome, ContextReport } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { noUsage, type Message } from '../../shared/messages.ts'
import { keepingState, type Assembly, type Budget, type KeepingState } from '../context/index.ts'
import type { Memory } from '../memory/index.ts'
import { AnswerDraft, type ChatModel } from '../models/index.ts'
import { commandEntry, isSessionOver, type Sessions, type Transcript } from '../sessions/index.ts'
import type { AgentSettings } from '../settings/index.ts'
import type { Workspace } from '../workspace/index.ts'
import { runCommand } from './commands.ts'
import { Keeper } from './keeping/keeper.ts'
import type { Prompts } from './keeping/prompts.ts'
import { keepSession } from './memory-hook.ts'
import type { ToolContext } from './tools/index.ts'
import { runTurn, type TurnEnd } from './turn.ts'

/** The entry type under which a request's report is kept in the transcript. */
const reportEntry = 'commonplace.context'

export interface ChatOptions {
  readonly agent: string
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  readonly settings: () => AgentSettings
  readonly prompts: () => Promise<Prompts>
  /** @throws AppError when the model's provider is not set up */
  readonly createModel: (id: string | undefined) => ChatModel
  readonly setModel: (model: string) => Promise<void>
  readonly budget: (model: ChatModel) => Budget
  readonly assemble: (model: ChatModel, state: KeepingState, sessionStart: number) => Promise<Assembly>
  readonly now: () => Date
  readonly onSessionChanged: (session: string) => void
  readonly onContextChanged: (session: string) => void
  /** Logs what is no expected failure. @returns the log reference that the user is shown */
  readonly onFault: (error: unknown) => string
}

interface LiveTurn {
  readonly stop: AbortController
  readonly ended: Promise<void>
  text: string
  thinking: string
}

/** All that one piece of work on a conversation needs. */
interface Work {
  readonly session: string
  readonly transcript: Transcript
  readonly model: ChatModel
  readonly tools: ToolContext
  readonly keeper: Keeper
}

export class Chat {
  readonly #options: ChatOptions
  readonly #turns = new Map<string, LiveTurn>()
  readonly #endings = new Set<Promise<void>>()
  readonly #reports = new Map<string, ContextReport>()
  readonly #events = new EventPublisher<Record<string, ChatEvent>>({ maxBufferedEvents: 100_000 })

  constructor(options: ChatOptions) {
    this.#options = options
  }

  /**
   * Stores the message and starts the turn, or carries out the command; either runs on by itself. Where the session is
   * over (M35), a new one takes the message.
   * @throws AppError `session_busy`, `unknown_session`, `provider_key_missing`
   */
  async send(
    text: string,
    session: string | undefined,
    modelId: string | undefined,
  ): Promise<{ session: string; ended: Promise<void> }> {
    if (session !== undefined && this.#turns.has(session)) {
      throw new AppError('session_busy', 'this conversation is still answering; stop it first', { session })
    }
    const { sessions, createModel, now } = this.#options
    const command = parseCommand(text)
    const model = command ? this.#previewModel() : createModel(modelId)
    const isNew = command?.name === 'new' || command?.name === 'reset'
    const current = session === undefined ? undefined : { id: session, transcript: await sessions.get(session) }
    const goesOn = current && !isNew && !this.#isOver(current.transcript)
    if (current && !goesOn) this.#end(current.id, current.transcript)
    const { id, transcript } = goesOn ? current : await sessions.create(now())
    if (isNew) return { session: id, ended: Promise.resolve() }
    const turn = this.#start(id, (stop) => {
      const work = this.#workOn(id, transcript, model, stop.signal)
      return command ? this.#carryOut(work, command) : this.#answer(work, text)
    })
    return { session: id, ended: turn.ended }
  }

  /** What the running turn has said so far, then everything as it happens. */
  async *watch(session: string, signal: AbortSignal | undefined): AsyncGenerator<ChatEvent> {
    const live = this.#events.subscribe(session, signal ? { signal } : {})
    const turn = this.#turns.get(session)
    yield { type: 'partial', running: turn !== undefined, text: turn?.text ?? '', thinking: turn?.thinking ?? '' }
    yield* live
  }

  stop(session: string): boolean {
    const turn = this.#turns.get(session)
    turn?.stop.abort()
    return turn !== undefined
  }

  /** The session's last request, or the one that it (or a new one) would send now. */
  async report(session: string | undefined): Promise<ContextReport> {
    const transcript = session === undefined ? undefined : await this.#options.sessions.get(session)
    const stored = session === undefined || !transcript ? undefined : this.#lastReport(session, transcript)
    if (stored) return stored
    const { assemble, now } = this.#options
    const start = transcript?.header.createdAt ?? now().getTime()
    return (await assemble(this.#previewModel(), keepingState(transcript?.branch() ?? []), start)).report
  }

  /** Stops every turn and waits until what they had said, and what ended sessions leave, is on disk. */
  async close(): Promise<void> {
    for (const turn of this.#turns.values()) turn.stop.abort()
    await Promise.all([...this.#turns.values()].map((turn) => turn.ended))
    await Promise.all(this.#endings)
  }

  #isOver(transcript: Transcript): boolean {
    const last = transcript.messages().findLast(({ message }) => message.role === 'user')
    return (
      last !== undefined &&
      isSessionOver(new Date(last.message.timestamp), this.#options.now(), this.#options.settings().session.reset)
    )
  }

  #workOn(session: string, transcript: Transcript, model: ChatModel, signal: AbortSignal): Work {
    const { sessions, workspace, memory, settings, assemble, budget, now, prompts } = this.#options
    const tools: ToolContext = {
      workspace,
      memory,
      session,
      readSession: (id) => sessions.readText(id),
      signal,
      cause: 'agent',
      mayWrite: () => true,
    }
    const keeper = new Keeper({
      transcript,
      model,
      budget: budget(model),
      settings: settings(),
      prompts,
      assemble: () => assemble(model, keepingState(transcript.branch()), transcript.header.createdAt),
      lastReport: () => this.#lastReport(session, transcript),
      tools,
      now,
      onKept: () => this.#changed(session),
      onStart: (what) => this.#emit(session, { type: 'keeping', what }),
    })
    return { session, transcript, model, tools, keeper }
  }

  #start(session: string, work: (stop: AbortController) => Promise<TurnEnd>): LiveTurn {
    const stop = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: LiveTurn = { stop, ended, text: '', thinking: '' }
    this.#turns.set(session, turn)
    const run = async () => {
      let reason: TurnEnd = 'error'
      try {
        reason = await work(stop)
      } catch (error) {
        this.#tellFault(session, error, stop.signal)
      } finally {
        this.#turns.delete(session)
        this.#emit(session, { type: 'turnEnd', reason })
        this.#changed(session)
        resolve()
      }
    }
    void run()
    return turn
  }

  async #answer({ session, transcript, model, tools, keeper }: Work, text: string): Promise<TurnEnd> {
    const { assemble, sessions, settings, now, onSessionChanged } = this.#options
    const append = async (message: Message) => {
      const { id } = await transcript.appendMessage(message)
      onSessionChanged(session)
      return id
    }
    const before = transcript.messages().findLast((entry) => entry.message.role === 'assistant')?.message
    const isChange =
      before?.role === 'assistant' && (before.provider !== model.provider || before.model !== model.model)
    if (isChange) await transcript.appendModelChange(model.provider, model.model)
    const message: Message = { role: 'user', content: text, timestamp: now().getTime() }
    this.#emit(session, { type: 'message', id: await append(message), message })
    return runTurn({
      model,
      assemble: () => assemble(model, keepingState(transcript.branch()), transcript.header.createdAt),
      append,
      report: (report) => this.#keepReport(session, transcript, report),
      keepRequest: (request) => sessions.keepRequest(session, { model: model.id, ...request }),
      emit: (event) => this.#emit(session, event),
      tools,
      keeper,
      maxSteps: settings().chat.maxSteps,
    })
  }

  async #carryOut(work: Work, command: CommandCall): Promise<TurnEnd> {
    const { session, transcript, model, tools, keeper } = work
    const { agent, workspace, memory, setModel, now, assemble } = this.#options
    const outcome: CommandOutcome = await runCommand(command, {
      agent,
      model: model.id,
      workspace,
      memory,
      keeper,
      tokens: async () => {
        const { report } = await assemble(model, keepingState(transcript.branch()), transcript.header.createdAt)
        return { tokens: report.estimatedTokens, contextWindow: report.contextWindow }
      },
      setModel,
      now,
      signal: tools.signal,
    }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
      return { kind: 'failed', code: error.code, data: error.data }
    })
    await transcript.appendCustom(commandEntry, { command: command.name, outcome })
    this.#changed(session)
    return outcome.kind === 'failed' ? 'error' : 'done'
  }

  /** What a session that is over leaves behind (M36): durable notes, and its last messages. Nobody waits for it. */
  #end(session: string, transcript: Transcript): void {
    const ending = this.#leaveBehind(session, transcript).catch((error: unknown) => {
      this.#options.onFault(error)
    })
    this.#endings.add(ending)
    void ending.finally(() => this.#endings.delete(ending))
  }

  async #leaveBehind(session: string, transcript: Transcript): Promise<void> {
    const { workspace, settings, prompts, now } = this.#options
    const { memoryHook } = settings().session
    const messages = transcript.messages().map(({ message }) => message)
    if (!memoryHook.enabled || messages.length === 0) return
    const model = this.#previewModel()
    await this.#workOn(session, transcript, model, new AbortController().signal).keeper.flushRest()
    const { slug } = await prompts()
    await keepSession({ workspace, model, slugPrompt: slug, messages, count: memoryHook.messages, session, at: now() })
    this.#changed(session)
  }

  /** A meter or a command can do with a model that is not set up; only its window matters then. */
  #previewModel(): ChatModel {
    const { createModel } = this.#options
    try {
      return createModel(undefined)
    } catch (error) {
      if (error instanceof AppError && error.code === 'provider_key_missing') return createModel('offline')
      throw error
    }
  }

  #lastReport(session: string, transcript: Transcript): ContextReport | undefined {
    return this.#reports.get(session) ?? (transcript.lastCustom(reportEntry) as ContextReport | undefined)
  }

  async #keepReport(session: string, transcript: Transcript, report: ContextReport): Promise<void> {
    if (report.reportedTokens !== null) {
      await transcript.appendCustom(reportEntry, report)
      this.#reports.set(session, report)
    }
    this.#options.onContextChanged(session)
  }

  #tellFault(session: string, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    const isExpected = error instanceof AppError
    const code = isExpected ? error.code : 'internal'
    const message = isExpected ? error.message : this.#options.onFault(error)
    const failure = new AnswerDraft({ provider: 'commonplace', model: '' }).finish('error', noUsage, { code, message })
    this.#emit(session, { type: 'message', id: `fault-${Date.now()}`, message: failure })
  }

  #changed(session: string): void {
    this.#options.onSessionChanged(session)
    this.#options.onContextChanged(session)
  }

  #emit(session: string, event: ChatEvent): void {
    const turn = this.#turns.get(session)
    if (turn && event.type === 'text') turn.text += event.delta
    else if (turn && event.type === 'thinking') turn.thinking += event.delta
    else if (turn && event.type === 'message' && event.message.role === 'assistant') {
      turn.text = ''
      turn.thinking = ''
    }
    this.#events.publish(session, event)
  }
}
