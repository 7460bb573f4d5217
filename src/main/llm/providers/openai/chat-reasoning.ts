/**
 * Thinking over Chat Completions, which does not specify it. Each server has its own format, and some refuse the next
 * request of a tool turn unless the thinking comes back in that format. It is stored as the signature: a field name,
 * `content` for a list of parts, `<think>` for tags, or signed details as JSON.
 */
import { parseJson } from '#shared/util/json.ts'
import type { AssistantMessage, Message } from '#shared/chat/messages.ts'
import { asObject, asArray, asText } from '../../middleware/lenient-json.ts'
import { begunLength } from '../../middleware/text-calls.ts'

/** Fields with thinking as plain text, most common first. */
const textFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
/** Fields with signed parts, which must be sent back unchanged. */
const listFields = ['reasoning_details', 'thinking_blocks'] as const

/** Fields of a call in which Gemini servers send the signature of its thinking. */
export const callExtras = ['extra_content', 'provider_specific_fields'] as const

type Detail = Readonly<Record<string, unknown>>

export const contentFormat = 'content'
export const tagsFormat = '<think>'

export class ReasoningDraft {
  #format: (typeof textFields)[number] | typeof contentFormat | typeof tagsFormat | undefined
  readonly #details = new Map<string, Detail[]>()
  #hasText = false

  /** @returns the thinking text to show */
  addDelta(delta: Detail): string {
    const presentFields = textFields.filter((name) => typeof delta[name] === 'string' || Array.isArray(delta[name]))
    const field = presentFields.find((name) => asText(delta[name]) !== '') ?? presentFields[0]
    if (field !== undefined && (!this.#hasText || this.#format === undefined)) this.#format = field
    let detailText = ''
    for (const name of listFields) {
      for (const detail of asArray(delta[name])) detailText += this.#addDetail(name, asObject(detail))
    }
    const text = field === undefined ? '' : asText(delta[field])
    // Most servers that send details repeat them as plain text; some send only details.
    if (text === '') return this.#hasText ? '' : detailText
    this.#hasText = true
    return text
  }

  setFormat(form: typeof contentFormat | typeof tagsFormat): void {
    if (!this.#hasText) this.#format = form
  }

  attachSignature(content: AssistantMessage['content']): void {
    const signature = this.#details.size > 0 ? JSON.stringify(Object.fromEntries(this.#details)) : this.#format
    if (signature === undefined) return
    const hasDetails = this.#details.size > 0
    const thoughts = content.filter((part) => part.type === 'thinking')
    for (const thought of hasDetails ? thoughts.slice(-1) : thoughts) thought.thinkingSignature = signature
    // Some servers require thinking before a call, even if it is empty.
    const isRequired = hasDetails || content.some((part) => part.type === 'toolCall')
    if (thoughts.length === 0 && isRequired)
      content.unshift({ type: 'thinking', thinking: '', thinkingSignature: signature })
  }

  #addDetail(name: string, detail: Detail): string {
    const details = this.#details.get(name) ?? []
    this.#details.set(name, details)
    const index = details.findLastIndex((other) => isContinuation(other, detail))
    const previous = details[index]
    if (previous) details[index] = mergeDetails(previous, detail)
    else details.push(detail)
    return detailTextFields.map((field) => asText(detail[field])).join('')
  }
}

const detailTextFields = ['text', 'summary', 'thinking'] as const

/** Text arrives in deltas with the signature last; encrypted data arrives whole. */
function isContinuation(before: Detail, next: Detail): boolean {
  const isEncrypted = 'data' in before || 'data' in next
  const isSigned = asText(before['signature']) !== ''
  return !isEncrypted && before['type'] === next['type'] && before['index'] === next['index'] && !isSigned
}

function mergeDetails(before: Detail, next: Detail): Detail {
  const merged: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(next)) {
    const isText = detailTextFields.some((field) => field === name) && typeof before[name] === 'string'
    if (isText) merged[name] = asText(before[name]) + asText(value)
    else if (value !== null && value !== undefined && value !== '') merged[name] = value
  }
  return merged
}

export function contentPieces(content: unknown): ThinkPiece[] {
  if (!Array.isArray(content)) return [{ type: 'text', delta: asText(content) }]
  return content.map((part): ThinkPiece => {
    const { type, thinking, text } = asObject(part)
    return type === 'thinking' ? { type, delta: asText(thinking) } : { type: 'text', delta: asText(text) }
  })
}

/**
 * Returns an answer's thinking in the formats that its signatures name; ignores thinking without a signature.
 * @returns `content` that includes the thinking, for formats that put it there
 */
export function reasoningOf(message: AssistantMessage) {
  const fields: Record<string, unknown> = {}
  let content: string | readonly Detail[] | undefined
  for (const part of message.content) {
    if (part.type !== 'thinking' || part.thinkingSignature === undefined) continue
    const { thinkingSignature: form, thinking } = part
    if (textFields.some((name) => name === form)) fields[form] = asText(fields[form]) + thinking
    else if (form === contentFormat) content ??= partsOf(message)
    else if (form === tagsFormat) content ??= withThinkTags(message)
    else {
      const details = asObject(parseJson(form))
      for (const name of listFields) if (Array.isArray(details[name])) fields[name] = details[name]
    }
  }
  return { fields, content }
}

function partsOf(message: AssistantMessage): Detail[] {
  return message.content.flatMap((part): Detail[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    return part.type === 'thinking' ? [{ type: 'thinking', thinking: [{ type: 'text', text: part.thinking }] }] : []
  })
}

function withThinkTags(message: AssistantMessage): string {
  return message.content
    .map((part) => {
      if (part.type === 'thinking') return `<think>\n${part.thinking.trim()}\n</think>\n\n`
      return part.type === 'text' ? part.text : ''
    })
    .join('')
}

/** Returns the answers of turns with tool calls, whose thinking servers need back. */
export function answersOfToolTurns(messages: readonly Message[]): ReadonlySet<Message> {
  let turn = 0
  const turns = Map.groupBy(messages, ({ role }) => (role === 'user' ? ++turn : turn))
  const answers = [...turns.values()].map((group) => group.filter((message) => message.role === 'assistant'))
  const hasCall = ({ content }: AssistantMessage) => content.some((part) => part.type === 'toolCall')
  return new Set(answers.filter((group) => group.some(hasCall)).flat())
}

export type ThinkPiece = { readonly type: 'text' | 'thinking'; readonly delta: string }

/** Marks around thinking at the start of an answer, from the chat templates of the models. */
const thinkMarks = [
  ['<think>', '</think>'], // DeepSeek R1, Qwen 3, GLM
  ['<thinking>', '</thinking>'],
  ['<seed:think>', '</seed:think>'], // Seed-OSS
  ['[THINK]', '[/THINK]'], // Magistral
  ['◁think▷', '◁/think▷'], // Kimi VL
  ['<|channel|>analysis<|message|>', '<|end|>'], // gpt-oss
] as const
/** Marks of gpt-oss before the answer itself. */
const answerMarks = ['<|start|>assistant<|channel|>final<|message|>', '<|channel|>final<|message|>']

/**
 * Splits off the thinking that local models send within the answer between marks, also if a mark arrives in several
 * deltas. Applies only to answers that begin with the mark.
 */
export class ThinkTags {
  /** `gap`: the white space after the closing mark. */
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  #closing = ''
  /** Text that may be the beginning of a mark. */
  #pending = ''
  /** True for the marks `<think>` and `</think>`, which the next request can contain. */
  isTagged = false

  /** Returns the deltas that are certain so far; a possible start of a mark waits for the next call. */
  push(delta: string): ThinkPiece[] {
    let text = this.#pending + delta
    let thinking = ''
    this.#pending = ''
    if (this.#state === 'start') {
      const begun = text.trimStart()
      if ([...thinkMarks.map(([mark]) => mark), ...answerMarks].some((mark) => mark.startsWith(begun)))
        return this.#wait(text)
      const marks = thinkMarks.find(([mark]) => begun.startsWith(mark))
      const answerMark = answerMarks.find((mark) => begun.startsWith(mark))
      this.#state = marks ? 'thinking' : answerMark === undefined ? 'text' : 'gap'
      this.#closing = marks?.[1] ?? ''
      this.isTagged ||= marks?.[0] === '<think>'
      // The line break after the mark belongs to it.
      if (marks) text = begun.slice(marks[0].length).replace(/^\n/, '')
      if (answerMark !== undefined) text = begun.slice(answerMark.length)
    }
    if (this.#state === 'thinking') {
      const end = text.indexOf(this.#closing)
      const certainLength = end < 0 ? text.length - begunLength(text, this.#closing) : end
      thinking = text.slice(0, certainLength)
      if (end < 0) return [...toPieces('thinking', thinking), ...this.#wait(text.slice(certainLength))]
      this.#state = 'gap'
      text = text.slice(end + this.#closing.length)
    }
    if (this.#state === 'gap') {
      text = text.trimStart()
      if (text === '') return toPieces('thinking', thinking)
      // More thinking can follow.
      this.#state = 'start'
      return [...toPieces('thinking', thinking), ...this.push(text)]
    }
    return [...toPieces('thinking', thinking), ...toPieces('text', text)]
  }

  end(): ThinkPiece[] {
    return toPieces(this.#state === 'thinking' ? 'thinking' : 'text', this.#pending)
  }

  #wait(text: string): ThinkPiece[] {
    this.#pending = text
    return []
  }
}

/**
 * A closing mark on its own line, or between two texts without a space, as no sentence has it. The opening one is part of
 * the request, by the template of the model.
 */
const closingOnly =
  /^(?:(?!<think)[^])*?(?:(?:^|\n)[ \t]*<\/think(?:ing)?>[ \t]*(?:\n|$)|[^\s`'"“]<\/think(?:ing)?>(?=[^\s`'"”]))/
/** Thinking on separate lines between two texts, outside code. */
const laterThinking = /(?<=^[^`]*)\n[ \t]*<(think(?:ing)?)>([^]*?)<\/\1>[ \t]*(?:\n|$)/
/** Marks of the end of a turn, which some servers leave in the answer. */
const endMarks =
  /(?:\s*(?:<\|(?:im_end|eot_id|eom_id|end|return|endoftext|end_of_text|call)\|>|<end_of_turn>|<\/s>|<｜end▁of▁sentence｜>))+\s*$/

/** Moves thinking that has no opening mark out of a complete answer, and removes marks of the end of the turn. */
export function tidyAnswer(content: AssistantMessage['content']): void {
  const texts = content.filter((part) => part.type === 'text')
  const [first] = texts
  const thinking = closingOnly.exec(first?.text ?? '')?.[0]
  if (first && thinking !== undefined && !content.some(({ type }) => type === 'thinking')) {
    first.text = first.text.slice(thinking.length).trimStart()
    content.unshift({ type: 'thinking', thinking: thinking.replace(/<\/think(?:ing)?>\s*$/, '').trim() })
  }
  const [thought = '', , inner = ''] = laterThinking.exec(first?.text ?? '') ?? []
  if (first && thought !== '') {
    first.text = first.text.replace(thought, '\n').trim()
    content.unshift({ type: 'thinking', thinking: inner.trim() })
  }
  const last = texts.at(-1)
  if (last) last.text = last.text.replace(endMarks, '')
}

function toPieces(type: ThinkPiece['type'], delta: string): ThinkPiece[] {
  return delta === '' ? [] : [{ type, delta }]
}
