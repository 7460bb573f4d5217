/**
 * Reasoning over Chat Completions, which knows none: each server has a form of its own, and some refuse the next request
 * of a turn with tools unless it comes back in just that form. The form in which a thought came is kept as its signature:
 * the name of a field, `content` for a list of parts, `<think>` for tags, or a list of signed details as JSON.
 */
import { isRecord, parseJson } from '#shared/util/json.ts'
import type { AssistantMessage, Message } from '#shared/chat/messages.ts'
import type { ThinkPiece } from './think-tags.ts'
import { fieldsOf, listOf, textOf } from '../../middleware/lenient-json.ts'

/** Fields that hold a thought as plain text, the most usual first. */
const textFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
/** Fields that hold signed pieces, which go back to the letter. */
const listFields = ['reasoning_details', 'thinking_blocks'] as const

/** What servers of Gemini put beside a call: the signature of the thought behind it. */
export const callExtras = ['extra_content', 'provider_specific_fields'] as const

type TextField = (typeof textFields)[number]
type Part = AssistantMessage['content'][number]
type Detail = Readonly<Record<string, unknown>>

export const inContent = 'content'
export const inTags = '<think>'

export class ReasoningDraft {
  #form: TextField | typeof inContent | typeof inTags | undefined
  readonly #details = new Map<string, Detail[]>()
  #hasText = false

  /** @returns what of the thought is to be shown */
  take(delta: Detail): string {
    const sent = textFields.filter((name) => typeof delta[name] === 'string' || Array.isArray(delta[name]))
    const field = sent.find((name) => textOf(delta[name]) !== '') ?? sent[0]
    if (field !== undefined && (!this.#hasText || this.#form === undefined)) this.#form = field
    let details = ''
    for (const name of listFields) {
      for (const detail of listOf(delta[name])) details += this.#addDetail(name, fieldsOf(detail))
    }
    const text = field === undefined ? '' : textOf(delta[field])
    // Most servers that send details send the same as plain text; some send nothing else.
    if (text === '') return this.#hasText ? '' : details
    this.#hasText = true
    return text
  }

  /** A thought came between tags, or as a part of the content. */
  takeAs(form: typeof inContent | typeof inTags): void {
    if (!this.#hasText) this.#form = form
  }

  /** Marks the thoughts of an answer with the form in which they came. */
  sign(content: Part[]): void {
    const signature = this.#details.size > 0 ? JSON.stringify(Object.fromEntries(this.#details)) : this.#form
    if (signature === undefined) return
    const thoughts = content.filter((part) => part.type === 'thinking')
    if (this.#details.size === 0 && thoughts.length > 0) {
      for (const thought of thoughts) thought.thinkingSignature = signature
      return
    }
    const last = thoughts.at(-1)
    // An empty thought before a call is one all the same: some servers want it back.
    const isWanted = this.#details.size > 0 || content.some((part) => part.type === 'toolCall')
    if (last) last.thinkingSignature = signature
    else if (isWanted) content.unshift({ type: 'thinking', thinking: '', thinkingSignature: signature })
  }

  #addDetail(name: string, detail: Detail): string {
    const details = this.#details.get(name) ?? []
    this.#details.set(name, details)
    const place = details.findLastIndex((other) => goesOn(other, detail))
    const before = details[place]
    if (before) details[place] = joined(before, detail)
    else details.push(detail)
    return shownOf(detail)
  }
}

const textsOfDetail = ['text', 'summary', 'thinking'] as const

function shownOf(detail: Detail): string {
  return textsOfDetail.map((name) => textOf(detail[name])).join('')
}

/** Pieces of one text come one by one, its signature last; what is sealed comes whole. */
function goesOn(before: Detail, next: Detail): boolean {
  const isSealed = 'data' in before || 'data' in next
  return !isSealed && before['type'] === next['type'] && before['index'] === next['index'] && !isSigned(before)
}

function isSigned(detail: Detail): boolean {
  return textOf(detail['signature']) !== ''
}

function joined(before: Detail, next: Detail): Detail {
  const whole: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(next)) {
    const isText = textsOfDetail.some((text) => text === name) && typeof before[name] === 'string'
    if (isText) whole[name] = textOf(before[name]) + textOf(value)
    else if (value !== null && value !== undefined && value !== '') whole[name] = value
  }
  return whole
}

/** The parts of a content that is a list, thoughts among them; or the one text that it is. */
export function contentPieces(content: unknown): ThinkPiece[] {
  if (!Array.isArray(content)) return [{ type: 'text', delta: textOf(content) }]
  return content.map((part): ThinkPiece => {
    const { type, thinking, text } = fieldsOf(part)
    return type === 'thinking' ? { type, delta: textOf(thinking) } : { type: 'text', delta: textOf(text) }
  })
}

/** How an answer's thoughts go back to the server that sent them. */
export interface SentReasoning {
  readonly fields: Readonly<Record<string, unknown>>
  /** The content with the thoughts in it, where that is their place. */
  readonly content: string | readonly Detail[] | undefined
}

export function reasoningOf(message: AssistantMessage): SentReasoning {
  const fields: Record<string, unknown> = {}
  let content: SentReasoning['content']
  for (const part of message.content) {
    if (part.type !== 'thinking' || part.thinkingSignature === undefined) continue
    const { thinkingSignature: form, thinking } = part
    if (textFields.some((name) => name === form)) fields[form] = textOf(fields[form]) + thinking
    else if (form === inContent) content ??= partsOf(message)
    else if (form === inTags) content ??= tagged(message)
    else Object.assign(fields, detailsOf(form))
  }
  return { fields, content }
}

function detailsOf(signature: string): Record<string, unknown> {
  const sent = parseJson(signature)
  if (!isRecord(sent)) return {}
  return Object.fromEntries(listFields.flatMap((name) => (Array.isArray(sent[name]) ? [[name, sent[name]]] : [])))
}

function partsOf(message: AssistantMessage): Detail[] {
  return message.content.flatMap((part): Detail[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    return part.type === 'thinking' ? [{ type: 'thinking', thinking: [{ type: 'text', text: part.thinking }] }] : []
  })
}

function tagged(message: AssistantMessage): string {
  return message.content
    .map((part) => {
      if (part.type === 'thinking') return `<think>\n${part.thinking.trim()}\n</think>\n\n`
      return part.type === 'text' ? part.text : ''
    })
    .join('')
}

/**
 * The answers of turns in which tools were called: their thoughts belong to what comes next. Those of other turns are
 * done with; servers drop them, or count them as input.
 */
export function answersOfToolTurns(messages: readonly Message[]): ReadonlySet<Message> {
  const found = new Set<Message>()
  let turn: AssistantMessage[] = []
  const close = () => {
    if (turn.some(({ content }) => content.some((part) => part.type === 'toolCall')))
      for (const answer of turn) found.add(answer)
    turn = []
  }
  for (const message of messages) {
    if (message.role === 'user') close()
    else if (message.role === 'assistant') turn.push(message)
  }
  close()
  return found
}
