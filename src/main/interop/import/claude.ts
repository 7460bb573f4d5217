/** Chats, projects and memories of a Claude export (`conversations.json`, `projects.json`, `memories.json`). */
import { z } from 'zod'
import { isRecord, recordsIn, valueAt } from '#shared/util/json.ts'
import { toFileName } from '#workspace'
import {
  hasText,
  linkToFile,
  linkToPage,
  messageOf,
  textOfDocument,
  toDate,
  type ImportedChat,
  type CountOmitted,
  type SourceText,
  type WrittenDocument,
} from './chats.ts'

const chatSchema = z.looseObject({
  uuid: z.string().optional().catch(undefined),
  name: z.string().nullish().catch(null),
  created_at: z.string().nullish().catch(null),
  current_leaf_message_uuid: z.string().nullish().catch(null),
  chat_messages: z.array(z.unknown()),
})

const messageSchema = z.looseObject({
  uuid: z.string().optional().catch(undefined),
  parent_message_uuid: z.string().nullish().catch(null),
  sender: z.string(),
  text: z.string().nullish().catch(null),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish().catch(null) })).catch([]),
  attachments: z
    .array(
      z.looseObject({
        file_name: z.string().nullish().catch(null),
        extracted_content: z.string().nullish().catch(null),
      }),
    )
    .catch([]),
  files: z.array(z.unknown()).catch([]),
})
type Message = z.infer<typeof messageSchema>

/** @returns undefined if the value is no chat */
export function readClaudeChat(value: unknown, count: CountOmitted): ImportedChat | undefined {
  const parsed = chatSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { uuid, name, created_at, chat_messages, current_leaf_message_uuid: leaf } = parsed.data
  const all = chat_messages.flatMap((message) => {
    const { data } = messageSchema.safeParse(message)
    if (!data) count('unreadable')
    return data ? [data] : []
  })
  const branch = branchOf(all, leaf ?? undefined)
  count('branch', all.length - branch.length)
  const documents = documentsIn(branch)
  const messages = branch.flatMap((message) => {
    const text = textOf(message, documents, count)
    return text === '' ? [] : [messageOf(message.sender === 'human' ? 'User' : 'Assistant', text)]
  })
  return { id: uuid ?? '', title: name ?? '', createdAt: toDate(created_at), messages }
}

/** Returns the messages from the first to the one shown last; all of them if they do not name their parents. */
function branchOf(messages: readonly Message[], leaf: string | undefined): readonly Message[] {
  const byId = new Map(messages.map((message) => [message.uuid, message]))
  const parentOf = ({ parent_message_uuid: id }: Message) => (id ? byId.get(id) : undefined)
  if (!messages.some(parentOf)) return messages
  const branch = new Set<Message>()
  let message = (leaf ? byId.get(leaf) : undefined) ?? messages.at(-1)
  for (; message && !branch.has(message); message = parentOf(message)) branch.add(message)
  return [...branch].reverse()
}

/** Text that an export has in place of a tool call or an artifact. */
const placeholder = /```\s*This block is not supported on your current device yet\.\s*```/g

function textOf(
  { text, content, attachments, files }: Message,
  documents: ReadonlyMap<Block, WrittenDocument | undefined>,
  count: CountOmitted,
): string {
  const parts = content.map((block) => {
    if (block.type === 'text') {
      const links = recordsIn(block['citations']).flatMap(({ details, url, title }) =>
        linkToPage(valueAt(details, ['url']) ?? url, title),
      )
      return withArtifacts(block.text ?? '') + (links.length > 0 ? ` (${[...new Set(links)].join(', ')})` : '')
    }
    const document = documents.get(block)
    if (!documents.has(block)) count(block.type === 'thinking' ? 'hidden' : 'tool')
    return document ? textOfDocument(document) : ''
  })
  const own = parts.some((part) => part.trim() !== '') ? parts : [(text ?? '').replaceAll(placeholder, '')]
  const pasted = attachments.map(({ file_name: name, extracted_content: extracted }) => {
    if (!extracted) return linkToFile(undefined, name ?? '', count).join('')
    return `${name ? `**${name}**\n\n` : ''}${extracted}`
  })
  const missing = files.flatMap((file) => linkToFile(undefined, String(valueAt(file, ['file_name']) ?? ''), count))
  return [...own, ...pasted, ...missing]
    .map((part) => part.trim())
    .filter(Boolean)
    .join('\n\n')
}

type Block = Message['content'][number]

const languages: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'image/svg+xml': 'svg',
  'application/vnd.ant.react': 'jsx',
  'application/vnd.ant.mermaid': 'mermaid',
  'application/vnd.ant.code': '',
}

/** Returns the last state of each document by the call that creates it, and undefined by the calls that change it. */
function documentsIn(messages: readonly Message[]): ReadonlyMap<Block, WrittenDocument | undefined> {
  const byId = new Map<string, WrittenDocument>()
  const byCall = new Map<Block, WrittenDocument | undefined>()
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type !== 'tool_use' || !isRecord(block['input'])) continue
    const {
      id,
      path,
      title,
      type,
      language,
      content,
      file_text: fileText,
      old_str: before,
      new_str: after,
    } = block['input']
    const key = String(id ?? path)
    const known = byId.get(key)
    const whole = content ?? fileText
    if (hasText(whole)) {
      const ending = /\.(?!md$|txt$)([a-z\d]+)$/i.exec(String(path))?.[1]
      const state = {
        title: String(title ?? String(path ?? known?.title ?? '').replace(/^.*\//, '')),
        language: hasText(language) ? language : (languages[String(type)] ?? ending ?? known?.language),
        content: whole,
      }
      byCall.set(block, known ? undefined : state)
      byId.set(key, known ? Object.assign(known, state) : state)
    } else if (known && typeof before === 'string') {
      byCall.set(block, undefined)
      known.content = known.content.replace(before, () => String(after ?? ''))
    }
  }
  return byCall
}

/** Replaces the artifacts that exports of 2024 have in the text. */
function withArtifacts(text: string): string {
  return text.replaceAll(
    /<antArtifact\b([^>]*)>([^]*?)<\/antArtifact>/g,
    (_whole, attributes: string, content: string) => {
      const valueOf = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
      const language = valueOf('language') ?? languages[valueOf('type') ?? '']
      return textOfDocument({ title: valueOf('title') ?? '', language, content: content.trim() })
    },
  )
}

/** Returns the documents of a project, and its description and instructions as one note. */
export function readClaudeProject(project: Record<string, unknown>, count: CountOmitted): SourceText[] {
  const { name, description, prompt_template: instructions, docs } = project
  const title = hasText(name) ? name.trim() : 'Project'
  const folder = `Projects/${toFileName(title, 'Project')}`
  const about = [`# ${title}`, description, instructions].filter(hasText)
  const documents = recordsIn(docs).flatMap(({ filename, content }) => {
    if (!hasText(content)) count('empty')
    if (!hasText(content)) return []
    const fileName = String(filename ?? 'Document').replace(/(?:\.(?:md|markdown|txt))?$/i, '.md')
    return [{ path: `${folder}/${toFileName(fileName, 'Document.md')}`, text: content }]
  })
  const hasAbout = about.length > 1
  return [...(hasAbout ? [{ path: `${folder}/About.md`, text: `${about.join('\n\n')}\n` }] : []), ...documents]
}

/** Returns what Claude remembers, of all chats and of each project. @param names of projects by id */
export function readClaudeMemories(memories: Record<string, unknown>, names: ReadonlyMap<unknown, unknown>): string[] {
  const { conversations_memory: general, project_memories: projects } = memories
  const ofProjects = Object.entries(isRecord(projects) ? projects : {}).filter(([, part]) => hasText(part))
  const named = ofProjects.map(([id, part]) => [names.get(id), part].filter(hasText).join(': '))
  return [general, ...named].filter(hasText).map((part) => part.trim())
}
