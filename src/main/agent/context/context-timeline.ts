import type { ContextEvent, ContextEventDetails, ContextReport, ContextStep, Layer } from '#shared/contract/index.ts'
import { contextReportSchema } from '#shared/contract/context.ts'
import { messageText } from '#shared/chat/messages.ts'
import type { LinkedMessage } from '../sessions/digest.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import { eventOf, joinFlushes } from '../sessions/session-events.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { calibrateReport, messageTextForModel, messageTokens } from './message-text.ts'

export const reportEntry = 'commonplace.context'

const maxQuestionCharacters = 120
/** Maximum number of messages in the details of a compaction, and of characters in each. */
const maxDetailMessages = 400
const maxDetailCharacters = 2000

export function reportOf(entry: TranscriptEntry | undefined): ContextReport | undefined {
  if (entry?.type !== 'custom' || entry.customType !== reportEntry) return undefined
  return contextReportSchema.safeParse(entry.data).data
}

/** Returns the report of the branch's last answered request, in estimated tokens; undefined if there is none. */
export function lastReportOf(transcript: Transcript): ContextReport | undefined {
  return contextReportSchema.safeParse(transcript.lastCustom(reportEntry)).data
}

/** Returns the steps of a branch with provider tokens, and its events; `before` is the number of steps before an event. */
export function contextTimeline(branch: readonly TranscriptEntry[]): { steps: ContextStep[]; events: ContextEvent[] } {
  const steps: ContextStep[] = []
  const events: ContextEvent[] = []
  let question = ''
  for (const entry of branch) {
    const report = reportOf(entry)
    if (report) steps.push(stepOf(entry.id, report, question))
    else if (entry.type === 'message') {
      const { message } = entry
      if (message.role === 'user') question = messageText(message).slice(0, maxQuestionCharacters).toWellFormed()
      const last = steps.at(-1)
      if (message.role === 'assistant' && last?.usage === null)
        steps[steps.length - 1] = { ...last, usage: message.usage }
    }
    const event = eventOf(entry)
    if (!event || event.type === 'command') continue
    const before = steps.length
    const last = events.at(-1)
    const joined = last?.before === before ? joinFlushes(last.event, event) : undefined
    if (joined) events.pop()
    events.push({ id: entry.id, before, at: Date.parse(entry.timestamp), event: joined ?? event })
  }
  return { steps, events }
}

function stepOf(id: string, report: ContextReport, question: string): ContextStep {
  const { items, ...fields } = calibrateReport(report)
  const layers: Partial<Record<Layer, number>> = {}
  for (const { layer, tokens } of items) layers[layer] = (layers[layer] ?? 0) + tokens
  return { ...fields, id, layers, question, usage: null }
}

/** Returns the messages that a compaction dropped, left out and kept, or the results that a pruning cut; empty for other ids. */
export function eventDetails(branch: readonly TranscriptEntry[], id: string): ContextEventDetails {
  const index = branch.findIndex((entry) => entry.id === id)
  const entry = branch[index]
  const details: ContextEventDetails = { dropped: [], uncovered: [], kept: [], results: [] }
  const { liveMessages } = compactionState(branch.slice(0, index))
  if (entry?.type === 'compaction') {
    const kept = compactionState(branch.slice(0, index + 1)).liveMessages
    const dropped = liveMessages.slice(0, liveMessages.length - kept.length)
    // A summary of pi or OpenClaw has no links.
    const covered = entry.lines && new Set(entry.lines.flatMap((line) => line.messages))
    const uncovered = dropped.filter((message) => covered?.has(message.id) === false)
    return {
      ...details,
      dropped: dropped.slice(-maxDetailMessages).map(messageDetails),
      uncovered: uncovered.slice(-maxDetailMessages).map(messageDetails),
      kept: kept.slice(0, maxDetailMessages).map(messageDetails),
    }
  }
  if (entry?.type === 'prune') {
    const cleared = new Set(entry.cleared)
    const prunedIds = new Set([...entry.trimmed, ...entry.cleared])
    const results = liveMessages.flatMap(({ message }) => {
      if (message.role !== 'toolResult' || !prunedIds.has(message.toolCallId)) return []
      const isCleared = cleared.has(message.toolCallId)
      return [{ tool: message.toolName, characters: messageText(message).length, isCleared }]
    })
    return { ...details, results }
  }
  return details
}

function messageDetails({ message }: LinkedMessage): ContextEventDetails['dropped'][number] {
  const role = message.role === 'toolResult' ? message.toolName : message.role
  const text = messageTextForModel(message).slice(0, maxDetailCharacters).toWellFormed()
  return { role, text, tokens: messageTokens(message) }
}
