import type {
  ContextEvent,
  ContextEventDetails,
  ContextReport,
  ContextStep,
  Layer,
  PlacedEvent,
} from '#shared/contract/index.ts'
import { contextReportSchema } from '#shared/contract/context.ts'
import { messageText, type Message } from '#shared/chat/messages.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import { calibrateReport } from './calibrate-estimate.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { messageTextForModel, messageTokens } from './message-tokens.ts'

export const reportEntry = 'commonplace.context'

const questionCharacters = 120
/** Maximum of messages in a compaction's details, and of characters in each. */
const maxSpoken = 400
const spokenCharacters = 2000

export function reportOf(entry: TranscriptEntry | undefined): ContextReport | undefined {
  return entry?.type === 'custom' && entry.customType === reportEntry ? readReport(entry.data) : undefined
}

/** Parses a stored report; returns undefined if it is invalid. */
export function readReport(data: unknown): ContextReport | undefined {
  return contextReportSchema.safeParse(data).data
}

/** Returns the steps with layers in provider tokens; an event's `before` counts the steps that precede it. */
export function contextTimeline(
  branch: readonly TranscriptEntry[],
  placed: readonly PlacedEvent[],
): {
  steps: ContextStep[]
  events: ContextEvent[]
} {
  const steps: ContextStep[] = []
  const eventsById = new Map(placed.map(({ id, event }) => [id, event]))
  const events: ContextEvent[] = []
  let question = ''
  let openStep: ContextStep | undefined
  for (const entry of branch) {
    const report = reportOf(entry)
    if (report) {
      openStep = stepOf(entry.id, report, question)
      steps.push(openStep)
    } else if (entry.type === 'message') {
      const { message } = entry
      if (message.role === 'user') question = messageText(message).slice(0, questionCharacters).toWellFormed()
      if (message.role === 'assistant' && openStep) {
        steps[steps.length - 1] = { ...openStep, answer: entry.id, usage: message.usage }
        openStep = undefined
      }
    }
    const event = eventsById.get(entry.id)
    if (event && event.type !== 'command')
      events.push({ id: entry.id, before: steps.length, at: Date.parse(entry.timestamp), event })
  }
  return { steps, events }
}

function stepOf(id: string, report: ContextReport, question: string): ContextStep {
  const { items, ...rest } = calibrateReport(report, undefined)
  const layers: Partial<Record<Layer, number>> = {}
  for (const { layer, tokens } of items) layers[layer] = (layers[layer] ?? 0) + tokens
  return { ...rest, id, layers, question, answer: null, usage: null }
}

/** Returns the messages that a compaction dropped and kept, or the results that a pruning cut; empty for other ids. */
export function eventDetails(branch: readonly TranscriptEntry[], id: string): ContextEventDetails {
  const at = branch.findIndex((entry) => entry.id === id)
  const entry = branch[at]
  const details: ContextEventDetails = { dropped: [], kept: [], results: [] }
  if (!entry) return details
  const { live } = compactionState(branch.slice(0, at))
  if (entry.type === 'compaction') {
    const cut = live.findIndex((message) => message.id === entry.firstKeptEntryId)
    const messages = live.map(({ message }) => messageDetails(message))
    const first = cut < 0 ? messages.length : cut
    return {
      ...details,
      dropped: messages.slice(0, first).slice(-maxSpoken),
      kept: messages.slice(first, first + maxSpoken),
    }
  }
  if (entry.type === 'prune') {
    const cleared = new Set(entry.cleared)
    const prunedIds = new Set([...entry.trimmed, ...entry.cleared])
    const results = live.flatMap(({ message }) =>
      message.role === 'toolResult' && prunedIds.has(message.toolCallId)
        ? [
            {
              tool: message.toolName,
              characters: messageText(message).length,
              isCleared: cleared.has(message.toolCallId),
            },
          ]
        : [],
    )
    return { ...details, results }
  }
  return details
}

function messageDetails(message: Message): ContextEventDetails['dropped'][number] {
  const role = message.role === 'toolResult' ? message.toolName : message.role
  const text = messageTextForModel(message).slice(0, spokenCharacters).toWellFormed()
  return { role, text, tokens: messageTokens(message) }
}
