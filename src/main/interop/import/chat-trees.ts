/**
 * Chats of ChatGPT and DeepSeek (`conversations.json`, `conversations-000.json`, …): trees of messages. `current_node`
 * of ChatGPT is the last message shown. DeepSeek has no such mark, and the kind of a fragment names its speaker. The
 * forms are those of exports of 2023 to 2026; neither service documents them.
 */
import { z } from 'zod'
import { isRecord, listAt, parseJson, recordsIn, valueAt } from '#shared/util/json.ts'
import {
  codeBlock,
  hasText,
  linkToFile,
  linkToPage,
  messageOf,
  textOfDocument,
  toDate,
  type CountOmitted,
  type FileOf,
  type ImportedChat,
  type WrittenDocument,
} from './chats.ts'

const chatSchema = z.looseObject({
  title: z.string().nullish().catch(null),
  create_time: z.number().nullish().catch(null),
  inserted_at: z.string().nullish().catch(null),
  current_node: z.string().nullish().catch(null),
  id: z.string().optional().catch(undefined),
  conversation_id: z.string().optional().catch(undefined),
  mapping: z.record(z.string(), z.unknown()),
})

const nodeSchema = z.looseObject({
  parent: z.string().nullish().catch(null),
  message: z
    .looseObject({
      author: z.looseObject({ role: z.string() }),
      recipient: z.string().nullish(),
      create_time: z.number().nullish().catch(null),
      metadata: z.looseObject({}).nullish().catch(null),
      content: z.looseObject({
        content_type: z.string().optional(),
        parts: z.array(z.unknown()).optional(),
        text: z.string().optional(),
        language: z.string().nullish(),
      }),
    })
    .nullish(),
})
type Message = NonNullable<z.infer<typeof nodeSchema>['message']>

/**
 * Reads a tree of messages. Its shown branch ends with the last message that the service shows; without it, with the
 * latest one that has no answer, or the last one in the file if they have no times.
 * @param timeOf returns 0 for a message without a time
 */
function readTree<Node extends { parent?: string | null | undefined; message?: unknown }>(
  mapping: Readonly<Record<string, unknown>>,
  schema: z.ZodType<Node>,
  { count, timeOf, last }: { count: CountOmitted; timeOf: (node: Node) => number; last?: string | null | undefined },
): { shown: Node[]; others: Node[] } {
  const parsed = Object.entries(mapping).map(([name, node]) => [name, schema.safeParse(node).data] as const)
  const nodes = new Map(parsed.flatMap(([name, node]) => (node ? [[name, node]] : [])))
  count('unreadable', parsed.length - nodes.size)
  const parents = new Set([...nodes.values()].map(({ parent }) => parent))
  const leaves = [...nodes].filter(([name, { message }]) => !parents.has(name) && message).map(([, leaf]) => leaf)
  const [latest] = leaves.reverse().toSorted((one, other) => timeOf(other) - timeOf(one))
  const shown = new Set<Node>()
  let node = (last ? nodes.get(last) : undefined) ?? latest
  for (; node && !shown.has(node); node = nodes.get(node.parent ?? '')) shown.add(node)
  return { shown: [...shown].reverse(), others: [...nodes.values()].filter((one) => !shown.has(one)) }
}

/** Kinds of content that the interface does not show as messages. */
const hiddenKinds = new Set([
  'thoughts',
  'reasoning_recap',
  'user_editable_context',
  'model_editable_context',
  'execution_output',
  'tether_browsing_display',
  'tether_quote',
  'system_error',
])

/** @returns undefined if the value is no chat */
export function readChatgptChat(value: unknown, count: CountOmitted, fileOf: FileOf): ImportedChat | undefined {
  const parsed = chatSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { mapping, current_node, title, create_time, id, conversation_id } = parsed.data
  const timeOf = ({ message }: z.infer<typeof nodeSchema>) => message?.create_time ?? 0
  // Leaves out edited and regenerated messages.
  const { shown, others } = readTree(mapping, nodeSchema, { count, timeOf, last: current_node })
  count('branch', others.filter(({ message }) => message && isShown(message)).length)
  const documents = canvasDocuments(shown.flatMap(({ message }) => message ?? []))
  const messages = shown.flatMap(({ message }) => {
    if (!message) return []
    const document = documents.get(message)
    const text = document ? textOfDocument(document) : textOf(message, count, fileOf)
    return text === '' ? [] : [messageOf(message.author.role === 'user' ? 'User' : 'Assistant', text)]
  })
  return { id: conversation_id ?? id ?? '', title: title ?? '', createdAt: toDate(create_time), messages }
}

function isShown({ author, metadata, recipient, content }: Message): boolean {
  if (author.role !== 'user' && author.role !== 'assistant') return false
  if (metadata?.['is_visually_hidden_from_conversation'] === true) return false
  return (recipient ?? 'all') === 'all' && !hiddenKinds.has(content.content_type ?? '')
}

/** Returns the visible text of a message. A hidden message gives '' and is counted. */
function textOf(message: Message, count: CountOmitted, fileOf: FileOf): string {
  const { author, recipient, content, metadata } = message
  const linked = new Set<string>()
  const linkTo = (id: string, name: string): string[] => {
    if (linked.has(id)) return []
    linked.add(id)
    return linkToFile(fileOf(id), name, count)
  }
  const pictureOf = (pointer: unknown) => linkTo(String(pointer).replace(/^.*:\/\//, ''), '')
  if (author.role === 'tool') {
    // A tool draws the pictures and charts of an answer.
    const charts = recordsIn(listAt(metadata, ['aggregate_result', 'messages'])).map(({ image_url: url }) => url)
    const pictures = [...recordsIn(content.parts).map((part) => part['asset_pointer']), ...charts].filter(hasText)
    if (pictures.length > 0) return pictures.flatMap(pictureOf).join('\n')
  }
  if (!isShown(message)) {
    // The first message of a chat is an empty one of the system.
    const isEmpty = [content.text ?? '', ...stringsIn(content.parts)].every((text) => text.trim() === '')
    const isTool = author.role === 'tool' || (recipient ?? 'all') !== 'all'
    if (!(isEmpty && author.role === 'system')) count(isTool ? 'tool' : 'hidden')
    return ''
  }
  const parts = (content.parts ?? []).flatMap((part) => {
    if (typeof part === 'string') return [part]
    if (isRecord(part) && typeof part['text'] === 'string') return [part['text']]
    // The recording of a transcribed text is no loss.
    if (!isRecord(part) || /audio|video/.test(String(part['content_type']))) return []
    return pictureOf(part['asset_pointer'])
  })
  const attached = recordsIn(metadata?.['attachments'])
  const files = attached.flatMap(({ id, name }) => linkTo(String(id), String(name ?? id)))
  const text = content.parts ? [...parts, ...files].join('\n') : (content.text ?? '')
  const language = content.language === 'unknown' ? '' : (content.language ?? '')
  const shown = content.content_type === 'code' ? codeBlock(text, language) : text
  return withFormulas(
    withLinks(shown, [...citationsIn(shown, metadata), ...recordsIn(metadata?.['content_references'])]),
  ).trim()
}

function stringsIn(parts: readonly unknown[] | undefined): string[] {
  return (parts ?? []).filter((part) => typeof part === 'string')
}

/** Returns the last state of each canvas document by the message that creates it. */
function canvasDocuments(messages: readonly Message[]): ReadonlyMap<Message, WrittenDocument> {
  const documents = new Map<Message, WrittenDocument>()
  let current: WrittenDocument | undefined
  for (const message of messages) {
    const { recipient, content } = message
    const call = recipient?.startsWith('canmore.') && parseJson(content.text ?? stringsIn(content.parts).join(''))
    if (!isRecord(call)) continue
    if (typeof call['content'] === 'string') {
      current = {
        title: hasText(call['name']) ? call['name'] : '',
        language: /^code\/(\w+)/.exec(String(call['type']))?.[1],
        content: call['content'],
      }
      documents.set(message, current)
    }
    for (const update of recordsIn(call['updates'])) if (current) current.content = updated(current.content, update)
  }
  return documents
}

/** @param update a pattern and a replacement of Python, whose groups are `\1` */
function updated(text: string, { pattern, replacement, multiple }: Record<string, unknown>): string {
  const [from, to] = [String(pattern), String(replacement)]
  try {
    const expression = new RegExp(from, multiple === true ? 'gs' : 's')
    return text.replace(expression, to.replaceAll('$', '$$$$').replaceAll(/\\(\d)/g, '$$$1'))
  } catch (error) {
    if (error instanceof SyntaxError) return text.replace(from, () => to)
    throw error
  }
}

const codeOrFormula = new RegExp(
  [
    '(```[^]*?(?:```|(?![^]))|`[^`\\n]*`)',
    // A formula that fills its lines.
    String.raw`^([ \t]*)\\\[\s*((?:(?!\\\])[^])*?)\s*\\\][ \t]*$`,
    String.raw`\\\[\s*([^]*?)\s*\\\]`,
    String.raw`\\\(\s*([^\n]*?)\s*\\\)`,
  ].join('|'),
  'gm',
)

/** Writes formulas with dollar signs, outside code. */
function withFormulas(text: string): string {
  return text.replaceAll(
    codeOrFormula,
    (_whole, code?: string, indent?: string, block?: string, display?: string, inline = '') => {
      if (code !== undefined) return code
      if (block === undefined) return `$${(display ?? inline).replaceAll(/\s*\n\s*/g, ' ')}$`
      return ['$$', ...block.split(/\s*\n\s*/), '$$'].map((line) => `${indent}${line}`).join('\n')
    },
  )
}

/** A mark in the text: a kind and its value between characters of private use. */
const mark = /[ \t]*\uE200(\w+)\uE202([^\uE201]*)\uE201/g
/** The form of marks until 2024: 【12†source】. */
const olderMark = /[ \t]*【\d+(?::\d+)?†[^】]*】/g

/** Returns the citations of exports until 2024 with their marks in the text. Their positions count code points. */
function citationsIn(text: string, metadata: Message['metadata']): Record<string, unknown>[] {
  return recordsIn(metadata?.['citations']).map(({ start_ix: from, end_ix: to, metadata: page }) => ({
    ...(isRecord(page) ? page : {}),
    matched_text: [...text].slice(Number(from), Number(to)).join(''),
  }))
}

/** Replaces the marks of citations by links to the pages, and those of names by the names. */
function withLinks(text: string, references: readonly Record<string, unknown>[]): string {
  let linked = text
  for (const { matched_text: matched, items, title, url, alt } of references) {
    if (typeof matched !== 'string' || matched.trim() === '') continue
    const links = [{ title, url }, ...recordsIn(items)].flatMap((item) => linkToPage(item.url, item.title))
    const shown = hasText(alt) && alt.includes('](') ? alt : `(${[...new Set(links)].join(', ')})`
    if (links.length === 0) continue
    linked = linked.replaceAll(matched, (_mark, at: number) => (/\S/.test(linked[at - 1] ?? '') ? ` ${shown}` : shown))
  }
  return linked
    .replaceAll(mark, (whole, _kind, value: string) => {
      const named = parseJson(value)
      const name = Array.isArray(named) ? named[1] : undefined
      return typeof name === 'string' ? `${/^[ \t]*/.exec(whole)?.[0] ?? ''}${name}` : ''
    })
    .replaceAll(olderMark, '')
    .replaceAll(/[\uE200-\uE20F]/g, '')
}

const fragmentsSchema = z.looseObject({
  parent: z.string().nullish().catch(null),
  message: z
    .looseObject({
      inserted_at: z.string().nullish().catch(null),
      files: z.array(z.unknown()).nullish().catch(null),
      fragments: z.array(z.looseObject({ type: z.string(), content: z.unknown().optional() })),
    })
    .nullish(),
})

/** @returns undefined if the value is no chat */
export function readDeepseekChat(value: unknown, count: CountOmitted): ImportedChat | undefined {
  const parsed = chatSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { id, title, inserted_at, mapping } = parsed.data
  const timeOf = ({ message }: z.infer<typeof fragmentsSchema>) => toDate(message?.inserted_at)?.getTime() ?? 0
  const { shown, others } = readTree(mapping, fragmentsSchema, { count, timeOf })
  count('branch', others.filter(({ message }) => message).length)
  const messages = shown.flatMap(({ message }) => {
    const files = (message?.files ?? []).flatMap((file) =>
      linkToFile(undefined, String(valueAt(file, ['file_name']) ?? ''), count),
    )
    return (message?.fragments ?? []).flatMap(({ type, content }) => {
      const isUser = type === 'REQUEST'
      if (!isUser && type !== 'RESPONSE') count(type === 'THINK' ? 'hidden' : 'tool')
      else if (hasText(content)) {
        const text = [content.trim(), ...(isUser ? files : [])].join('\n')
        return [messageOf(isUser ? 'User' : 'Assistant', text)]
      }
      return []
    })
  })
  return { id: id ?? '', title: title ?? '', createdAt: toDate(inserted_at), messages }
}
