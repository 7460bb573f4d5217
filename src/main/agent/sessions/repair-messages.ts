import { isRecord } from '#shared/util/json.ts'
import { noUsage } from '#shared/chat/messages.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fills missing fields and drops invalid parts of a transcript entry's message; returns other values unchanged. */
export function repairEntry(entry: unknown): unknown {
  if (!isRecord(entry) || !isRecord(entry['message'])) return entry
  const { message } = entry
  const timestamp = toFiniteNumber(message['timestamp']) ?? Date.parse(String(entry['timestamp']))
  const repaired = { timestamp: Number.isNaN(timestamp) ? 0 : timestamp, ...repairFields(message) }
  return { ...entry, message: { ...message, ...repaired } }
}

function repairFields(message: Fields): Fields {
  if (message['role'] === 'assistant') return repairAnswer(message)
  return message['role'] === 'toolResult' ? repairResult(message) : { content: message['content'] ?? '' }
}

const stopReasons: ReadonlySet<unknown> = new Set(['stop', 'length', 'toolUse', 'error', 'aborted'])

function repairAnswer(message: Fields): Fields {
  const { content, usage, stopReason } = message
  return {
    content: repairContent(content).map((part, index) =>
      part['type'] === 'toolCall'
        ? {
            ...part,
            id: toText(part['id']) || `call_${index}`,
            name: toText(part['name']) || 'unnamed',
            arguments: isRecord(part['arguments']) ? part['arguments'] : {},
          }
        : part,
    ),
    provider: toText(message['provider']),
    model: toText(message['model']),
    usage: repairUsage(isRecord(usage) ? usage : {}),
    stopReason: stopReasons.has(stopReason) ? stopReason : 'stop',
  }
}

function repairResult(message: Fields): Fields {
  return {
    toolCallId: toText(message['toolCallId']),
    toolName: toText(message['toolName']) || 'unnamed',
    content: repairContent(message['content']),
    isError: message['isError'] === true,
  }
}

function repairContent(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.filter(isRecord).filter(({ type, text, thinking, data }) => {
    if (type === 'text') return typeof text === 'string'
    if (type === 'thinking') return typeof thinking === 'string'
    return type === 'toolCall' || (type === 'image' && typeof data === 'string')
  })
}

function repairUsage(usage: Fields): Fields {
  const { cost } = usage
  const tokenCounts = Object.fromEntries(Object.keys(noUsage).map((key) => [key, toFiniteNumber(usage[key]) ?? 0]))
  return isRecord(cost) && toFiniteNumber(cost['total']) !== undefined ? { ...tokenCounts, cost } : tokenCounts
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function toFiniteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
