/**
 * Tool calls that a model writes as text, because its server does not know the model's format. A text becomes a call only
 * if it names a tool that the request offers; until that is clear, it is held back.
 */
import { messageText, type AssistantMessage, type ToolCallPart } from '#shared/chat/messages.ts'
import type { ChatModel } from '../model.ts'
import { balanced, callMarks, parseTextCalls } from './call-formats.ts'

const fence = '```'
const markers = [...callMarks, fence]
/** Characters that find a held text in a message. */
const maxCompared = 40
/** A longer text is no call. */
const maxHeld = 20_000

export function withTextCalls(model: ChatModel): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const names = new Set(request.tools.map(({ name }) => name))
      const question = request.messages.findLast(({ role }) => role === 'user')
      let shown = ''
      let held = ''
      try {
        for await (const event of model.stream(request, signal)) {
          if (event.type === 'text' && names.size > 0) {
            held += event.delta
            const start = held.length > maxHeld ? held.length : startOfCall(held, shown === '', names)
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
          // A call that the user has written is quoted, and one within a sentence.
          const isInCode = /(?<!`)`$/.test(shown)
          const isInSentence = /[^\n]$/.test(shown) && /[>\]][ \t]+\p{L}[^\n]*$/u.test(held.trimEnd())
          const isQuoted =
            isInCode || isInSentence || (question !== undefined && messageText(question).includes(held.trim()))
          const calls = hasCall || isQuoted ? [] : parseTextCalls(held, names)
          if (calls.length === 0) yield { type: 'text', delta: held }
          const isUnread = !isQuoted && callMarks.some((mark) => held.trimStart().startsWith(mark))
          const message = isUnread ? { ...event.message, unreadCall: true as const } : event.message
          yield { type: 'done', message: calls.length === 0 ? message : withCalls(event.message, held, calls) }
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
function startOfCall(text: string, isStart: boolean, names: ReadonlySet<string>): number {
  const begun = text.trimStart()
  if (isStart && /^(?:\[?\s*\{|\[?$)/.test(begun) && mayBeCall(begun)) return 0
  // [memory_search(query="tea")] of Llama 3.2 and 4
  const head = /^\[[^(]*\(?/.exec(begun)?.[0]
  if (isStart && head !== undefined && [...names].some((name) => `[${name}(`.startsWith(head))) return 0
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
  if (text.startsWith(fence))
    return /^```(?:\w*\s*(?:[{[]|$)|tool_code\s)/.test(text) && !/^```[^]*?```\s*(?!```|\s)./.test(text)
  const json = balanced(text.replace(/^\[\s*/, ''))
  return json === '' || /^\s*(?:$|[\],{]|<)/.test(text.replace(/^\[\s*/, '').slice(json.length))
}

function withCalls(message: AssistantMessage, held: string, calls: readonly ToolCallPart[]): AssistantMessage {
  const content = message.content.flatMap((part) => {
    // Marks of the end of a turn are already removed.
    const start = part.type === 'text' ? part.text.indexOf(held.trim().slice(0, maxCompared)) : -1
    if (part.type !== 'text' || start < 0) return [part]
    const text = part.text.slice(0, start).trimEnd()
    return text === '' ? [] : [{ ...part, text }]
  })
  return { ...message, content: [...content, ...calls], stopReason: 'toolUse' }
}
