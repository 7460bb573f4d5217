/**
 * Tool calls that a model writes as text, because its server does not know the model's format. A text becomes a call only
 * if it names a tool that the request offers; until that is clear, it is held back.
 */
import { randomUUID } from 'node:crypto'
import { isRecord, parseJson } from '#shared/util/json.ts'
import type { AssistantMessage, ToolCallPart } from '#shared/chat/messages.ts'
import type { ChatModel } from '../model.ts'

const fence = '```'
/** Beginnings of calls in the formats of Hermes and Qwen, Granite, Llama, and Mistral. */
const tags = ['<tool_call>', '<|tool_call|>', '<function=', '<|python_tag|>', '[TOOL_CALLS]']
const markers = [...tags, fence]
/** A longer text is no call. */
const maxHeld = 20_000

export function withTextCalls(model: ChatModel): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const names = new Set(request.tools.map(({ name }) => name))
      let shown = ''
      let held = ''
      try {
        for await (const event of model.stream(request, signal)) {
          if (event.type === 'text' && names.size > 0) {
            held += event.delta
            const start = held.length > maxHeld ? held.length : startOfCall(held, shown === '')
            const text = held.slice(0, start)
            held = held.slice(start)
            shown += text
            yield text === '' ? { type: 'calling' } : { ...event, delta: text }
            continue
          }
          if (event.type !== 'done' || held === '') {
            yield event
            continue
          }
          const hasCall = event.message.content.some(({ type }) => type === 'toolCall')
          const calls = hasCall ? [] : parseTextCalls(held, names)
          if (calls.length === 0) yield { type: 'text', delta: held }
          yield calls.length === 0 ? event : { type: 'done', message: withCalls(event.message, held, calls) }
          held = ''
        }
      } catch (error) {
        if (held !== '') yield { type: 'text', delta: held }
        throw error
      }
    },
  }
}

/** Returns the position from which a text may be a call; its length if there is none. */
function startOfCall(text: string, isStart: boolean): number {
  if (isStart && /^\s*(?:\[?\s*\{|\[?$)/.test(text) && mayBeCall(text.trimStart())) return 0
  let start = nextMarker(text, 0)
  while (start < text.length && !mayBeCall(text.slice(start))) start = nextMarker(text, start + fence.length)
  return start
}

function nextMarker(text: string, from: number): number {
  const positions = markers.map((marker) => {
    const found = text.indexOf(marker, from)
    return found >= 0 ? found : text.length - begunLength(text.slice(from), marker)
  })
  return Math.min(...positions)
}

/** Returns the length of the part of a marker that the end of a text begins; 0 if it begins none. */
export function begunLength(text: string, marker: string): number {
  let length = Math.min(marker.length - 1, text.length)
  while (!text.endsWith(marker.slice(0, length))) length -= 1
  return length
}

/** Returns false for a code block that is not JSON, and for JSON that text follows. */
function mayBeCall(text: string): boolean {
  if (text.startsWith(fence)) return /^```\w*\s*(?:[{[]|$)/.test(text) && !/^```[^]*?```\s*(?!```|\s)./.test(text)
  const json = balancedJson(text.replace(/^\[\s*/, ''))
  return json === '' || /^\s*(?:$|[\],{]|<)/.test(text.replace(/^\[\s*/, '').slice(json.length))
}

/**
 * Returns the calls of a text that consists of calls; [] for other texts. Text after calls in a model's own format is
 * ignored: the model wrote it without their results.
 * @param names of the tools that the request offers
 */
export function parseTextCalls(text: string, names: ReadonlySet<string>): ToolCallPart[] {
  const calls: ToolCallPart[] = []
  let rest = text.trim()
  const isTagged = tags.some((tag) => rest.startsWith(tag))
  while (rest !== '') {
    const opening = /^(?:<\|?tool_call\|?>|<\|python_tag\|>|\[TOOL_CALLS\]|```\w*|\[|,|\])\s*/.exec(rest)?.[0] ?? ''
    rest = rest.slice(opening.length)
    const [tag = '', named = ''] =
      /^<function=([\w.-]+)>\s*/.exec(rest) ?? /^([\w.-]+)\s*(?:\[ARGS\])?\s*(?=\{)/.exec(rest) ?? []
    rest = rest.slice(tag.length)
    const json = balancedJson(rest)
    const parameters = json === '' && named !== '' ? xmlParameters(rest) : undefined
    if (json === '' && !parameters) {
      if (opening === '') return isTagged ? calls : []
      continue
    }
    const call = callOf(parameters?.values ?? parseJson(json) ?? parseJson(json.replace(/,\s*(?=[}\]])/g, '')), named)
    if (!call || !names.has(call.name)) return []
    calls.push({ type: 'toolCall', id: `call_${randomUUID().slice(0, 8)}`, ...call })
    rest = rest
      .slice(parameters?.length ?? json.length)
      .replace(/^\s*(?:<\/function>)?\s*(?:<\/tool_call>|```|\])?\s*(?:<\/s>|<\|[\w/]+\|>$)?\s*/, '')
  }
  return calls
}

function callOf(value: unknown, named: string): Pick<ToolCallPart, 'name' | 'arguments'> | undefined {
  if (!isRecord(value)) return undefined
  if (named !== '') return { name: named, arguments: value }
  const fields = isRecord(value['function']) ? value['function'] : value
  const given = fields['arguments'] ?? fields['parameters'] ?? {}
  const input = typeof given === 'string' ? parseJson(given) : given
  const { name } = fields
  return typeof name === 'string' && isRecord(input) ? { name, arguments: input } : undefined
}

/** Parses `<parameter=name>value</parameter>`, the format of Qwen's coder models. */
function xmlParameters(text: string): { values: Record<string, unknown>; length: number } | undefined {
  const [all = ''] = /^(?:<parameter=[\w.-]+>[^]*?<\/parameter>\s*)+/.exec(text) ?? []
  if (all === '') return undefined
  const parameters = all.matchAll(/<parameter=([\w.-]+)>\s*([^]*?)\s*<\/parameter>/g)
  return { values: Object.fromEntries([...parameters].map(([, name, value]) => [name, value])), length: all.length }
}

function balancedJson(text: string): string {
  if (!text.startsWith('{')) return ''
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isInString) {
      if (character === '\\') index += 1
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{') depth += 1
    else if (character === '}' && --depth === 0) return text.slice(0, index + 1)
  }
  return ''
}

function withCalls(message: AssistantMessage, held: string, calls: readonly ToolCallPart[]): AssistantMessage {
  const content = message.content.flatMap((part) => {
    if (part.type !== 'text' || !part.text.endsWith(held)) return [part]
    const text = part.text.slice(0, -held.length).trimEnd()
    return text === '' ? [] : [{ ...part, text }]
  })
  return { ...message, content: [...content, ...calls], stopReason: 'toolUse' }
}
