/** What fills the window: of the last request, of each one before, and of one that is only thought of (M45). */
import type {
  BlockChange,
  ContextEvent,
  ContextEventDetails,
  ContextReport,
  ContextStep,
  Layer,
  WhatIfWindow,
} from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import {
  calibrated,
  contextTimeline,
  eventDetails,
  findCutPoint,
  keepingState,
  keptTokens,
  messageTokens,
  reportEntry,
  reportOf,
  requestDifference,
  textOfItem,
  type Assembly,
  type SentRequest,
} from '../context/index.ts'
import { isBranchMark, sessionEvents, type Sessions, type Transcript } from '../sessions/index.ts'
import type { AgentConfig } from '../settings/index.ts'
import type { AgentModels } from './agent-models.ts'
import type { Requests } from './request.ts'
import { ownTools } from './tools/index.ts'

/** A summary that was not written yet: this share of what it stands for, but not more than so many tokens. */
const summaryShare = 0.2
const maxSummaryTokens = 2000

interface MeterOptions {
  readonly sessions: Sessions
  readonly config: AgentConfig
  readonly models: AgentModels
  readonly requests: Requests
}

export interface WhatIfOutcome {
  readonly report: ContextReport
  readonly compaction: { readonly messages: number; readonly tokens: number; readonly summaryTokens: number } | null
}

export class Meter {
  readonly #options: MeterOptions
  readonly #reports = new Map<string, ContextReport>()
  /** The newest of each model in whatever conversation: what a new one is calibrated by. */
  readonly #ofModel = new Map<string, ContextReport>()

  constructor(options: MeterOptions) {
    this.#options = options
    // Another branch is shown: what its last request was stands in the transcript.
    options.sessions.changes.subscribe(({ session, entry }) => {
      if (entry && isBranchMark(entry)) this.#reports.delete(session)
    })
  }

  /** The last request that the provider has answered, in our own estimate. */
  last(session: string, transcript: Transcript): ContextReport | undefined {
    return this.#reports.get(session) ?? (transcript.lastCustom(reportEntry) as ContextReport | undefined)
  }

  async keep(session: string, transcript: Transcript, report: ContextReport): Promise<void> {
    if (report.reportedTokens === null) return
    this.#reports.set(session, report)
    this.#ofModel.set(report.model, report)
    await transcript.appendCustom(reportEntry, report)
  }

  /** The session's last request, or another by the id of its step, or the one that it (or a new one) would send now. */
  async report(session: string | undefined, step: string | undefined): Promise<ContextReport> {
    const transcript = await this.#transcript(session)
    if (step !== undefined && transcript) {
      const report = reportOf(transcript.entries.find(({ id }) => id === step))
      if (!report) throw new AppError('input_invalid', `this conversation has no step ${step}`, { reason: step })
      return calibrated(report, undefined)
    }
    const stored = session === undefined || !transcript ? undefined : this.last(session, transcript)
    if (stored) return calibrated(stored, undefined)
    const { report } = await this.#assembleNow(transcript, {})
    return this.#calibrated(report, undefined)
  }

  async timeline(session: string): Promise<{ steps: ContextStep[]; events: ContextEvent[] }> {
    const branch = (await this.#options.sessions.get(session)).branch()
    return contextTimeline(branch, sessionEvents(branch))
  }

  async event(session: string, id: string): Promise<ContextEventDetails> {
    return eventDetails((await this.#options.sessions.get(session)).branch(), id)
  }

  /** Of a kept request, or of the one that would be sent now. */
  async text(session: string | undefined, number: number | undefined, layer: Layer, name: string): Promise<string> {
    if (session !== undefined) {
      const { request } = await this.#options.sessions.request(session, number)
      if (request) return textOfItem(JSON.parse(request.json) as SentRequest, layer, name)
    }
    const { request } = await this.#assembleNow(await this.#transcript(session), {})
    return textOfItem(request, layer, name)
  }

  /** @throws AppError `input_invalid` when there is no request with one of the numbers */
  async difference(session: string, from: number, to: number): Promise<BlockChange[]> {
    const [before, after] = await Promise.all([from, to].map((number) => this.#request(session, number)))
    return before && after ? requestDifference(before, after) : []
  }

  async whatIf(session: string | undefined, change: WhatIfWindow): Promise<WhatIfOutcome> {
    const transcript = await this.#transcript(session)
    const { report } = await this.#assembleNow(transcript, change)
    const last = session === undefined || !transcript ? undefined : this.last(session, transcript)
    return { report: this.#calibrated(report, last), compaction: this.#compactionOf(transcript, report) }
  }

  #compactionOf(transcript: Transcript | undefined, report: ContextReport): WhatIfOutcome['compaction'] {
    if (!transcript) return null
    const { live, summary } = keepingState(transcript.branch())
    const messages = live.map(({ message }) => message)
    const sizes = messages.map(messageTokens)
    const { keepRecentTokens } = this.#options.config.current.compaction
    const cut = findCutPoint(messages, sizes, keptTokens(report, keepRecentTokens))
    if (cut === 0) return null
    const dropped = sizes.slice(0, cut).reduce((sum, size) => sum + size, 0)
    const before = summary === undefined ? 0 : messageTokens({ role: 'user', content: summary, timestamp: 0 })
    const summaryTokens = before || Math.min(maxSummaryTokens, Math.ceil(dropped * summaryShare))
    return { messages: cut, tokens: dropped + before, summaryTokens }
  }

  #calibrated(report: ContextReport, last: ContextReport | undefined): ContextReport {
    return calibrated(report, last ?? this.#ofModel.get(report.model))
  }

  async #request(session: string, number: number): Promise<SentRequest> {
    const { request } = await this.#options.sessions.request(session, number)
    if (!request) throw new AppError('input_invalid', `request ${number} was not kept`, { reason: String(number) })
    return JSON.parse(request.json) as SentRequest
  }

  async #transcript(session: string | undefined): Promise<Transcript | undefined> {
    return session === undefined ? undefined : this.#options.sessions.get(session)
  }

  #assembleNow(transcript: Transcript | undefined, change: WhatIfWindow): Promise<Assembly> {
    const { requests, models } = this.#options
    return requests.assemble({ model: models.preview(), transcript, tools: ownTools, change })
  }
}
