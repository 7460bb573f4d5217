/** An agent's conversations as they happen: starts turns, lets windows follow them, stops them. */
import { EventPublisher } from '@orpc/server'
import type { ChatEvent, ContextReport } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { noUsage, type Message } from '../../shared/messages.ts'
import type { Assembly } from '../context/index.ts'
import type { Memory } from '../memory/index.ts'
import { AnswerDraft, type ChatModel } from '../models/index.ts'
import type { Sessions, Transcript } from '../sessions/index.ts'
import type { Workspace } from '../workspace/index.ts'
import { runTurn, type TurnEnd } from './turn.ts'

/** The entry type under which a request's report is kept in the transcript. */
const reportEntry = 'commonplace.context'

export interface ChatOptions {
  readonly sessions: Sessions
  readonly workspace: Workspace
  readonly memory: Memory
  /** @throws AppError when the model's provider is not set up */
  readonly createModel: (id: string | undefined) => ChatModel
  readonly assemble: (model: ChatModel, messages: readonly Message[], sessionStart: number) => Promise<Assembly>
  readonly maxSteps: () => number
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

export class Chat {
  readonly #options: ChatOptions
  readonly #turns = new Map<string, LiveTurn>()
  readonly #reports = new Map<string, ContextReport>()
  readonly #events = new EventPublisher<Record<string, ChatEvent>>({ maxBufferedEvents: 100_000 })

  constructor(options: ChatOptions) {
    this.#options = options
  }

  /**
   * Stores the message and starts the turn, which runs on by itself.
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
    const model = createModel(modelId)
    const opened =
      session === undefined ? await sessions.create(now()) : { id: session, transcript: await sessions.get(session) }
    const turn = this.#start(opened.id, opened.transcript, model, text)
    return { session: opened.id, ended: turn.ended }
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
    const kept = session === undefined ? undefined : this.#reports.get(session)
    const stored = kept ?? (transcript?.lastCustom(reportEntry) as ContextReport | undefined)
    if (stored) return stored
    const messages = transcript?.messages().map(({ message }) => message) ?? []
    const { assemble, now, createModel } = this.#options
    const model = modelForPreview(createModel)
    return (await assemble(model, messages, transcript?.header.createdAt ?? now().getTime())).report
  }

  /** Stops every turn and waits until what they had said is on disk. */
  async close(): Promise<void> {
    for (const turn of this.#turns.values()) turn.stop.abort()
    await Promise.all([...this.#turns.values()].map((turn) => turn.ended))
  }

  #start(session: string, transcript: Transcript, model: ChatModel, text: string): LiveTurn {
    const stop = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: LiveTurn = { stop, ended, text: '', thinking: '' }
    this.#turns.set(session, turn)
    void this.#run(session, transcript, model, turn, text).finally(resolve)
    return turn
  }

  async #run(session: string, transcript: Transcript, model: ChatModel, turn: LiveTurn, text: string): Promise<void> {
    const { assemble, sessions, workspace, memory, maxSteps, now, onSessionChanged, onFault } = this.#options
    const emit = (event: ChatEvent) => this.#emit(session, turn, event)
    const append = async (message: Message) => {
      const { id } = await transcript.appendMessage(message)
      onSessionChanged(session)
      return id
    }
    let end: TurnEnd = 'error'
    try {
      const message: Message = { role: 'user', content: text, timestamp: now().getTime() }
      emit({ type: 'message', id: await append(message), message })
      end = await runTurn({
        model,
        assemble: () =>
          assemble(
            model,
            transcript.messages().map((entry) => entry.message),
            transcript.header.createdAt,
          ),
        append,
        report: (report) => this.#keepReport(session, transcript, report),
        emit,
        tools: { workspace, memory, session, readSession: (id) => sessions.readText(id), signal: turn.stop.signal },
        maxSteps: maxSteps(),
      })
    } catch (error) {
      const reference = onFault(error)
      const message = new AnswerDraft(model).finish('error', noUsage, { code: 'internal', message: reference })
      emit({ type: 'message', id: `fault-${reference}`, message })
    } finally {
      this.#turns.delete(session)
      emit({ type: 'turnEnd', reason: end })
      onSessionChanged(session)
    }
  }

  async #keepReport(session: string, transcript: Transcript, report: ContextReport): Promise<void> {
    this.#reports.set(session, report)
    if (report.reportedTokens !== null) await transcript.appendCustom(reportEntry, report)
    this.#options.onContextChanged(session)
  }

  #emit(session: string, turn: LiveTurn, event: ChatEvent): void {
    if (event.type === 'text') turn.text += event.delta
    else if (event.type === 'thinking') turn.thinking += event.delta
    else if (event.type === 'message' && event.message.role === 'assistant') {
      turn.text = ''
      turn.thinking = ''
    }
    this.#events.publish(session, event)
  }
}

/** A meter can be shown for a model that is not set up; only its window matters then. */
function modelForPreview(createModel: ChatOptions['createModel']): ChatModel {
  try {
    return createModel(undefined)
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_key_missing') return createModel('offline')
    throw error
  }
}
