import { messageText, textsInCalls, type Message, type FileChangeNote } from '#shared/chat/messages.ts'
import type { ChatModel, ToolDefinition } from '#llm'
import { dailyLogPath, localDate, localTime } from '#workspace'
import { addedIn } from '#shared/util/file-change.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { additionsOf } from '../context/message-text.ts'
import { assemble, withTimestamp, type ContextFile } from '../context/assemble.ts'
import { budgetOf, windowProfile, cutToTokens, maxFileTokens } from '../context/context-budget.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { LinkedMessage } from '../sessions/digest.ts'
import { sourcesOfMessages } from './provenance-tracking.ts'
import { privateChatError } from './agent-models.ts'
import { loadFiles, type LoadedFiles } from './loaded-files.ts'
import { loadPrompts } from './prompts.ts'
import type { ChatOptions } from './chat-options.ts'
import { definitionsOf, offeredTools } from '../tools/built-in-tools.ts'
import type { Tool } from '../tools/tool.ts'

export type AssembledRequest = Awaited<ReturnType<typeof assembleRequest>>

interface RequestParts {
  readonly model: ChatModel
  readonly tools: readonly Tool[]
  readonly transcript: Transcript | undefined
  /** True if the request is not sent: it does not determine the beginning of later requests. */
  readonly isPreview?: boolean
}

export interface RequestServices extends ChatOptions {
  readonly fixedParts: WeakMap<Transcript, StoredPart>
}

/** Limit of the listed changes. Beyond it, the files are read again. */
const maxChangedCharacters = 4000

/** @returns `sources` of its text that are less trusted than the user @throws AppError `private_chat_remote_model` */
export async function assembleRequest(services: RequestServices, parts: RequestParts) {
  const { model, transcript } = parts
  const { config, workspace, now, windowEstimates } = services
  const { thinking } = config.current.chat
  const at = now()
  const today = localDate(at)
  const { summary, summarySources, pruned, liveMessages } = compactionState(transcript?.branch() ?? [])
  const messages = liveMessages.map(({ message }) => message)
  const fixed = await fixedPart(services, parts)
  const assembly = assemble({
    estimate: windowEstimates.estimateFor(model),
    purpose: {
      kind: 'chat',
      today,
      time: localTime(at),
      todaysLog: dailyLogPath(today, workspace.layout),
      turn: turnCutByCompaction(transcript?.messages() ?? [], liveMessages),
      isWithoutMemory: transcript?.isWithoutMemory,
    },
    model,
    ...fixed,
    thinking: thinking === 'off' ? undefined : thinking,
    summary,
    summarySources,
    pruned,
    settings: config.current,
    messages,
    now: at.getTime(),
  })
  const { request } = assembly
  const recalling = messages.filter((message) => message.role === 'user' && message.recalled)
  const additions = messages.map(additionsOf).filter((text) => text !== '')
  // The request may lack the part of a file that names a source.
  const texts = [...request.system.slice(1), ...additions, ...fixed.files.map(({ text }) => text ?? '')]
  return { ...assembly, sources: sourcesOfMessages([...request.messages, ...recalling], texts) }
}

/**
 * Returns what the next request of a chat contains already. If too much has changed, text has become private, or the
 * provider's cache has expired, there are no changes: the next request reads the files again.
 * @returns `changes`: of the loaded files that the chat does not know of, for the next message; `messages` and `files`
 * (texts of the loaded files) of the next request
 */
export async function readChatState(services: RequestServices, transcript: Transcript, model: ChatModel) {
  const { config, fixedParts, now } = services
  const { compaction, contextPruning } = config.current
  const branch = transcript.branch()
  const messages = compactionState(branch).liveMessages.map(({ message }) => message)
  const loaded = await loadFiles(services, transcript)
  const stored = fixedParts.get(transcript)
  // A server of this machine keeps its cache.
  const hasCache = stored && (model.isLocal || now().getTime() - stored.usedAt <= contextPruning.ttl)
  const isUsable = hasCache && !(await hasPrivateText(services, transcript, stored, loaded))
  const sent = messages.flatMap((message) => (message.role === 'user' ? (message.changes ?? []) : []))
  // The text of flushes comes from the chat.
  const flushed = branch.flatMap((entry) => (entry.type === 'flush' ? entry.changes : []))
  const written = [...messages.flatMap(textsInCalls), ...flushed.flatMap(({ patch }) => addedIn(patch))].join('\n')
  const said = messages.map(messageText).join('\n')
  const changes = isUsable ? changesSince(knownLines(stored.part.files, sent), loaded.files, written, said) : undefined
  const isKnown = changes !== undefined && JSON.stringify(changes).length <= maxChangedCharacters
  if (!isKnown) fixedParts.delete(transcript)
  const files = isKnown && stored ? stored.part.files : loaded.files
  const limit = maxFileTokens(budgetOf(model, compaction), 0)
  return {
    changes: isKnown ? changes : [],
    messages,
    // Requests leave out the middle of long files.
    files: files.flatMap(({ text }) => (text === null ? [] : cutToTokens(text, limit))),
  }
}

async function fixedPart(services: RequestServices, parts: RequestParts): Promise<FixedPart> {
  const { model, transcript, tools, isPreview } = parts
  const { config, workspace, now, fixedParts } = services
  const { current } = config
  const at = now()
  const isPrivate = transcript ? transcript.isPrivate : current.chat.default === 'private'
  // The chat may have become private since its model was chosen.
  if (isPrivate && !model.isLocal) throw privateChatError(model)
  const { isSmall, namesMissing } = windowProfile(model.contextWindow)
  const loaded = await loadFiles(services, transcript)
  const definitions = definitionsOf(offeredTools(tools, model))
  const { recall: _inMessages, ...context } = current.chat.context
  const isWithoutMemory = transcript?.isWithoutMemory === true
  const takesTools = model.takesTools?.() !== false
  const key = JSON.stringify({
    model: model.id,
    takesTools,
    isSmall,
    namesMissing,
    isPrivate,
    isWithoutMemory,
    compaction: transcript?.branch().findLast(({ type }) => type === 'compaction')?.id,
    context,
    prompts: current.prompts,
  })
  const stored = transcript && fixedParts.get(transcript)
  const hasSameTools = isPreview || JSON.stringify(stored?.part.tools) === JSON.stringify(definitions)
  const isUsable = stored?.key === key && hasSameTools
  if (transcript && isUsable && !(await hasPrivateText(services, transcript, stored, loaded))) {
    if (!isPreview) fixedParts.set(transcript, { ...stored, usedAt: at.getTime() })
    return stored.part
  }
  const prompts = await loadPrompts(services)
  const withTools = isSmall ? prompts.systemSmall : prompts.system
  const withMemory = takesTools ? withTools : prompts.systemWithoutTools
  const systemPrompt = (isWithoutMemory ? prompts.withoutMemory : withMemory)({
    agent: config.name,
    workspace: workspace.roots.workspace,
    today: localDate(at),
    weekday: new Intl.DateTimeFormat('en', { weekday: 'long' }).format(at),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    todaysLog: dailyLogPath(localDate(at), workspace.layout),
  })
  const files = namesMissing ? loaded.files : loaded.files.filter(({ text }) => text !== null)
  const part: FixedPart = { systemPrompt, files, tools: definitions }
  if (transcript && !isPreview) fixedParts.set(transcript, { key, part, readAt: at.getTime(), usedAt: at.getTime() })
  return part
}

/**
 * Returns true if text of an open chat's part has become private: its line was marked, or moved to a private note. A
 * file that no longer exists counts, and a line that was private before it was removed.
 */
async function hasPrivateText(
  { privacy }: RequestServices,
  { isPrivate }: Transcript,
  { part, readAt }: StoredPart,
  loaded: LoadedFiles,
): Promise<boolean> {
  if (isPrivate) return false
  const shown = new Set(loaded.files.flatMap(({ text }) => text?.split('\n') ?? []))
  const existing = new Set(loaded.files.flatMap(({ path, text }) => (text === null ? [] : [path])))
  const missing: string[] = []
  for (const { path, text } of part.files) {
    const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '' && !shown.has(line))
    if (lines.length === 0) continue
    if (!existing.has(path) || lines.some((line) => loaded.hiddenLines.has(line))) return true
    if (privacy.wasPrivate(path, lines, readAt)) return true
    missing.push(...lines)
  }
  return missing.length > 0 && (await privacy.privateLines(missing.join('\n'))).length > 0
}

/** Returns the current turn, from its user message on, if a compaction has replaced this message; otherwise undefined. */
function turnCutByCompaction(all: readonly LinkedMessage[], live: readonly LinkedMessage[]): Message[] | undefined {
  const isUser = ({ message }: LinkedMessage) => message.role === 'user'
  const start = all.findLastIndex(isUser)
  return start < 0 || live.some(isUser) ? undefined : all.slice(start).map(({ message }) => withTimestamp(message))
}

/**
 * The fixed part of a chat's requests: system prompt, loaded files and tools. It stays as it was read first, so that
 * consecutive requests have the same beginning and the model server can reuse it. It is read again for another model,
 * after a compaction, after a change of settings, and when the provider's cache has expired.
 */
interface FixedPart {
  readonly systemPrompt: string
  readonly files: readonly ContextFile[]
  readonly tools: readonly ToolDefinition[]
}

interface StoredPart {
  readonly part: FixedPart
  /** Model, settings and state of the chat that the part was built for. */
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly readAt: number
  readonly usedAt: number
}

const linesOf = (text: string | null) => (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')

/** Returns the lines that a chat knows, by path: those of the files as they were read, changed by the notes sent since. */
function knownLines(files: readonly ContextFile[], sent: readonly FileChangeNote[]): Map<string, Set<string>> {
  const loaded = files.filter(({ day }) => day !== 'summary')
  const known = new Map(loaded.map(({ path, text }) => [path, new Set(linesOf(text))]))
  for (const { path, added, removed } of sent) {
    const lines = known.get(path) ?? new Set<string>()
    known.set(path, lines)
    for (const line of removed) lines.delete(line)
    for (const line of added) lines.add(line)
  }
  return known
}

/**
 * Returns the changes that the chat does not know of, without those of session summaries.
 * @param written text that the agent wrote in this chat: neither its lines nor those it replaced are sent
 * @param said other text of the chat, whose lines are not sent again
 */
function changesSince(
  known: ReadonlyMap<string, ReadonlySet<string>>,
  files: readonly ContextFile[],
  written: string,
  said: string,
): FileChangeNote[] {
  const current = new Map(files.filter(({ day }) => day !== 'summary').map(({ path, text }) => [path, linesOf(text)]))
  const isTitle = (line: string) => /^# \d{4}-\d{2}-\d{2}$/.test(line)
  return [...new Set([...known.keys(), ...current.keys()])].flatMap((path) => {
    const before = known.get(path) ?? new Set()
    const after = current.get(path) ?? []
    const isWritten = (line: string) => isTitle(line) || written.includes(noteIn(line))
    const added = after.filter((line) => !before.has(line) && !isWritten(line) && !said.includes(noteIn(line)))
    const removed = [...before].filter((line) => !after.includes(line) && !isWritten(line))
    return added.length + removed.length === 0 ? [] : [{ path, added, removed }]
  })
}

/** Returns a line without list mark, time and source marks, which the app adds to the text of a note. */
function noteIn(line: string): string {
  return withoutLead(line)
    .replace(/^\d{1,2}:\d{2}\s+|\s*\^\[[^\]]*\]/g, '')
    .trim()
}
