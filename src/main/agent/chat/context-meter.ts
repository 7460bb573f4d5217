import type { ContextItem, ContextReport, Layer } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { type UserMessage, messageText, type Message } from '#shared/chat/messages.ts'
import { messageRangeItem, toolItem } from '#shared/chat/context-items.ts'
import { isRecord } from '#shared/util/json.ts'
import { withoutTimestamp, type ModelRequest } from '#llm'
import { calibrateReport, messageTextForModel, scaleTokens, totalTokens } from '../context/message-text.ts'
import { lastReportOf, reportEntry, reportOf } from '../context/context-timeline.ts'
import { compactionInput, predictDueSteps } from '../compaction/compaction-state.ts'
import { type Assembly, messagesItem, textItem } from '../context/assemble.ts'
import { truncatedWindow } from '../context/context-window-estimates.ts'
import { noticeEntry } from '../sessions/session-events.ts'
import { parseStoredRequest } from '../sessions/stored-requests.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { AgentModels } from './agent-models.ts'
import { assembleRequest, type RequestServices } from './model-request.ts'
import { builtInTools } from '../tools/built-in-tools.ts'

type MeterServices = RequestServices & { readonly agentModels: AgentModels }

export class ContextMeter {
  readonly #services: MeterServices
  /** Latest report of each model from any chat; calibrates new chats. */
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
   * @param session undefined for a new chat
   * @param step entry id of a past report; undefined for the last request, or the next one if none was sent
   * @throws AppError `unknown_session`, `input_invalid` if the chat has no such step
   */
  async report(session: string | undefined, step: string | undefined): Promise<ContextReport> {
    const transcript = session === undefined ? undefined : await this.#services.sessions.get(session)
    if (step !== undefined && transcript) {
      const report = reportOf(transcript.entries.find(({ id }) => id === step))
      if (!report) throw new AppError('input_invalid', `this chat has no step ${step}`, { reason: step })
      return this.#splitIntoRows(session, calibrateReport(report))
    }
    const last = transcript && lastReportOf(transcript)
    const { request, report } = await this.#assembleNow(transcript)
    const counted = last ?? this.#latestByModel.get(report.model)
    const next = this.#predictSteps(transcript, last ? withLastTools(report, last) : report, counted)
    // After a compaction, the last request is larger than the next one.
    const newest = transcript
      ?.branch()
      .findLast((entry) => entry.type === 'compaction' || entry.type === 'prune' || reportOf(entry))
    const isCurrent = last && newest?.type === 'custom'
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

  #predictSteps(transcript: Transcript | undefined, report: ContextReport, lastReport?: ContextReport) {
    const now = this.#services.now().getTime()
    const message: UserMessage = { role: 'user', content: '', timestamp: now }
    const input = compactionInput(transcript, report, lastReport, this.#services.config.current, now)
    const liveMessages = [...input.state.liveMessages, { id: 'next', message }]
    const turnsSinceFailure = input.state.turnsSinceFailure + 1
    return predictDueSteps({ ...input, state: { ...input.state, liveMessages, turnsSinceFailure } })
  }

  async #splitIntoRows(session: string | undefined, report: ContextReport): Promise<ContextReport> {
    const sent = report.request === undefined ? undefined : await this.#sentRequest(session, report.request)
    return sent ? expandRows(report, sent) : report
  }

  /** @param number default: the last request @returns undefined if the request was not stored or is invalid */
  async #sentRequest(session: string | undefined, number: number | undefined): Promise<SentRequest | undefined> {
    if (session === undefined) return undefined
    const { request } = await this.#services.sessions.requestWithWire(session, number)
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
  return { ...currentReport, items, estimatedTokens: totalTokens(items) }
}

/** Maximum number of turns with a row; older turns share the first row. */
const maxTurns = 24
const maxAboutCharacters = 60

type SentRequest = Pick<ModelRequest, 'system' | 'messages'> & { readonly tools: readonly unknown[] }

/** Splits the tools and the chat of a report into one row for each tool and turn of its request. */
export function expandRows(report: ContextReport, request: SentRequest): ContextReport {
  const rowsOf = ({ layer, name }: ContextItem) => {
    if (layer === 'conversation' && name === 'conversation') return turnRows(request)
    if (layer !== 'system' || name !== 'tools') return []
    return request.tools.map((tool) => textItem('system', toolItem(toolNameOf(tool)), JSON.stringify(tool)))
  }
  // The tokens of the rows sum to those of the item.
  const items = report.items.flatMap((item) => {
    const rows = rowsOf(item)
    return rows.length === 0 ? [item] : scaleTokens(rows, item.tokens)
  })
  return { ...report, items }
}

const filePattern = /<file path="([^"]*)"(?: missing="true"\/>|(?: from="[^"]*")?>\n[\s\S]*?\n<\/file>)/g

/** Returns the text of a report item or row as it was sent; '' if there is no such item. */
function textOfItem(request: SentRequest, layer: Layer, name: string): string {
  const [prompt = '', files = ''] = request.system
  const { summary, conversation } = splitSummary(request)
  if (layer === 'summary') return summary
  if (layer === 'project' || layer === 'logs')
    return [...files.matchAll(filePattern)].find(([, path]) => path === name)?.[0] ?? ''
  if (layer === 'system') {
    if (name === 'system prompt') return prompt
    const tools = request.tools.filter((tool) => name === 'tools' || toolItem(toolNameOf(tool)) === name)
    return tools.map((tool) => JSON.stringify(tool, null, 2)).join('\n\n')
  }
  if (layer === 'recalled') {
    const texts = conversation.map(messageTextForModel)
    return texts.flatMap((text) => /<memory>\n[^]*?\n<\/memory>/.exec(text)?.[0] ?? []).join('\n\n')
  }
  if (layer === 'tools') {
    const results = conversation.filter((message) => message.role === 'toolResult' && message.toolName === name)
    return results.map(messageTextForModel).join('\n\n')
  }
  const turns = turnsOf(conversation).filter((turn) => name === 'conversation' || turn.name === name)
  const messages =
    layer === 'conversation'
      ? turns.flatMap((turn) => turn.messages)
      : conversation.filter(({ role }) => role === 'user').slice(-1)
  const withoutRecalled = (text: string) => text.replace(/\n*<memory>\n[^]*?\n<\/memory>$/, '')
  return messages.map((message) => `${message.role}: ${withoutRecalled(messageTextForModel(message))}`).join('\n\n')
}

/** Splits a chat into turns. Tool results and the last user message are other items. */
function turnsOf(conversation: readonly Message[]): { name: string; messages: Message[] }[] {
  const lastUserIndex = conversation.findLastIndex(({ role }) => role === 'user')
  // A last user message without an answer has no row.
  const turnCount = conversation.slice(0, -1).filter(({ role }) => role === 'user').length
  let turn = 0
  const shown = conversation.flatMap((message, index) => {
    if (message.role === 'user') turn += 1
    if (message.role === 'toolResult' || index === lastUserIndex) return []
    return [{ message, number: index + 1, row: Math.max(turn, turnCount - maxTurns + 1) }]
  })
  return [...Map.groupBy(shown, ({ row }) => row).values()].map((row) => ({
    name: messageRangeItem({ from: row[0]?.number ?? 0, to: row.at(-1)?.number ?? 0 }),
    messages: row.map(({ message }) => message),
  }))
}

/** Returns '?' for a tool without a name. */
function toolNameOf(tool: unknown): string {
  return isRecord(tool) && typeof tool['name'] === 'string' ? tool['name'] : '?'
}

function turnRows(request: SentRequest): ContextItem[] {
  return turnsOf(splitSummary(request).conversation).map(({ name, messages }) => {
    const own = messages.filter(({ role }) => role === 'user').map(messageText)
    const texts = own.map((text) => withoutTimestamp(text).replace(/\s+/g, ' ').trim())
    const about = texts
      .find((text) => text !== '')
      ?.slice(0, maxAboutCharacters)
      .toWellFormed()
    return { ...messagesItem('conversation', name, messages), about }
  })
}

const summaryPattern = /<summary>\n([\s\S]*)\n<\/summary>$/

/** Separates the text of the summary message, '' if there is none, from the chat. */
function splitSummary({ messages }: SentRequest): { summary: string; conversation: readonly Message[] } {
  const [first] = messages
  const match = first?.role === 'user' ? summaryPattern.exec(messageTextForModel(first)) : null
  return match ? { summary: match[1] ?? '', conversation: messages.slice(1) } : { summary: '', conversation: messages }
}
