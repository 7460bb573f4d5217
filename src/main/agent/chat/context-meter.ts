import type { ContextItem, ContextReport, CompactionStep, Layer } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { calibrateReport, calibrationFactor } from '../context/message-tokens.ts'
import { lastReportOf, reportEntry, reportOf } from '../context/context-timeline.ts'
import { predictDueSteps } from '../compaction/due-steps.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { expandRows, textOfItem, type SentRequest } from '../context/meter-rows.ts'
import type { Assembly } from '../context/assemble.ts'
import { truncatedWindow } from '../context/truncation.ts'
import { noticeEntry } from '../sessions/session-events.ts'
import { parseStoredRequest, readRequest } from '../sessions/stored-requests.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { UserMessage } from '#shared/chat/messages.ts'
import type { AgentModels } from './agent-models.ts'
import { assembleRequest, type RequestServices } from './model-request.ts'
import { builtInTools } from '../tools/built-in-tools.ts'

type MeterServices = RequestServices & { readonly agentModels: AgentModels }

export class ContextMeter {
  readonly #services: MeterServices
  /** Latest report of each model from any conversation; calibrates new conversations. */
  readonly #latestByModel = new Map<string, ContextReport>()

  constructor(services: MeterServices) {
    this.#services = services
  }

  /** Stores the report of an answered request; ignores one without the provider's token count. */
  async storeReport(transcript: Transcript, report: ContextReport): Promise<void> {
    if (report.reportedTokens === null) return
    const window = truncatedWindow(lastReportOf(transcript), report)
    if (window !== undefined) {
      await this.#services.windowEstimates.learn(report.model, report.contextWindow, window)
      const data = { model: report.model, tokens: window }
      await transcript.appendCustom(noticeEntry, { kind: 'truncated', code: '', data })
    }
    this.#latestByModel.set(report.model, report)
    await transcript.appendCustom(reportEntry, report)
  }

  /**
   * Returns a report of the context in the provider's tokens.
   * @param session undefined for a new conversation
   * @param step entry id of a past report; undefined for the last request, or the next one if none was sent
   * @throws AppError `unknown_session`, `input_invalid` if the conversation has no such step
   */
  async report(session: string | undefined, step: string | undefined): Promise<ContextReport> {
    const transcript = session === undefined ? undefined : await this.#services.sessions.get(session)
    if (step !== undefined && transcript) {
      const report = reportOf(transcript.entries.find(({ id }) => id === step))
      if (!report) throw new AppError('input_invalid', `this conversation has no step ${step}`, { reason: step })
      return this.#splitIntoRows(session, calibrateReport(report))
    }
    const last = transcript && lastReportOf(transcript)
    const branch = transcript?.branch() ?? []
    const { request, report } = await this.#assembleNow(transcript)
    const counted = last ?? this.#latestByModel.get(report.model)
    const next = this.#predictSteps(transcript, last ? withLastTools(report, last) : report, counted)
    // After a compaction, the last request is larger than the next one.
    const lastReportIndex = branch.findLastIndex((entry) => reportOf(entry) !== undefined)
    const isShrinking = ({ type }: TranscriptEntry) => type === 'compaction' || type === 'prune'
    const isCurrent = last && branch.findLastIndex(isShrinking) <= lastReportIndex
    const expandedReport = isCurrent
      ? await this.#splitIntoRows(session, calibrateReport(last))
      : expandRows(calibrateReport(report, counted), request)
    if (report.model !== expandedReport.model) return { ...expandedReport, next }
    // The settings may have changed since the last request.
    const { reserveTokens, flushAt, compactAt, lowered, off } = report
    return { ...expandedReport, reserveTokens, flushAt, compactAt, lowered, off, next }
  }

  /** Returns the text of one item of a stored request, or of the request that would be sent now if none is stored. */
  async text(session: string | undefined, number: number | undefined, layer: Layer, name: string): Promise<string> {
    const sent = await this.#sentRequest(session, number)
    if (sent) return textOfItem(sent, layer, name)
    const transcript = session === undefined ? undefined : await this.#services.sessions.get(session)
    return textOfItem((await this.#assembleNow(transcript)).request, layer, name)
  }

  #predictSteps(
    transcript: Transcript | undefined,
    report: ContextReport,
    lastReport?: ContextReport,
  ): CompactionStep[] {
    const state = compactionState(transcript?.branch() ?? [])
    const now = this.#services.now().getTime()
    const message: UserMessage = { role: 'user', content: '', timestamp: now }
    const factor = calibrationFactor(lastReport)
    const { current: settings } = this.#services.config
    return predictDueSteps({
      state: {
        ...state,
        liveMessages: [...state.liveMessages, { id: 'next', message }],
        turnsSinceFailure: state.turnsSinceFailure + 1,
      },
      report,
      factor,
      tokens: Math.ceil(report.estimatedTokens * factor),
      settings,
      isFlushEnabled: settings.compaction.memoryFlush.enabled && transcript?.isWithoutMemory !== true,
      now,
    })
  }

  async #splitIntoRows(session: string | undefined, report: ContextReport): Promise<ContextReport> {
    const sent = report.request === undefined ? undefined : await this.#sentRequest(session, report.request)
    return sent ? expandRows(report, sent) : report
  }

  /** @param number default: the last request @returns undefined if the request was not stored or is invalid */
  async #sentRequest(session: string | undefined, number: number | undefined): Promise<SentRequest | undefined> {
    if (session === undefined) return undefined
    const { request } = await readRequest(this.#services.sessions.requestsFolder(session), number)
    return request ? parseStoredRequest(request.json) : undefined
  }

  #assembleNow(transcript: Transcript | undefined): Promise<Assembly> {
    const model = this.#services.agentModels.createOrOffline(undefined, transcript?.isPrivate)
    return assembleRequest(this.#services, { model, transcript, tools: builtInTools, isPreview: true })
  }
}

/** Counts the tools of the last request instead of the current ones: MCP servers are not started just for the meter. */
function withLastTools(currentReport: ContextReport, lastReport: ContextReport): ContextReport {
  const isTools = ({ layer, name }: ContextItem) => layer === 'system' && name === 'tools'
  const tools = lastReport.items.find(isTools)
  if (!tools || currentReport.model !== lastReport.model) return currentReport
  const items = currentReport.items.map((item) => (isTools(item) ? tools : item))
  return { ...currentReport, items, estimatedTokens: items.reduce((sum, { tokens }) => sum + tokens, 0) }
}
