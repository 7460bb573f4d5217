/**
 * Takes notes from a chat (flush), before part of it is summarised and when it ends: a silent turn over the whole
 * chat, or over its parts if it is too long. The model may write memory files only, and its text is never shown.
 * If it answers with notes instead of calling a tool, they go to today's log. Each step appends an entry with the last
 * message that it has read, so that a later one continues there, also after a failure or a crash.
 */
import { AppError } from '#shared/util/errors.ts'
import { addUsage, messageText, noUsage, type Message, type ToolCallPart } from '#shared/chat/messages.ts'
import { type FileChange, addedIn } from '#shared/util/file-change.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { complete, isTransient, type ChatModel, type ModelRequest } from '#llm'
import { sessionsPrefix } from '#search'
import { addLogEntry, dailyLogPath, isMemoryPath, localDate } from '#workspace'
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { cutAtWord } from '#shared/markdown/log-entry.ts'
import { withToday, type Prompts } from '../chat/prompts.ts'
import { sourcesOfMessages, userTextIn } from '../chat/provenance-tracking.ts'
import type { AssembledRequest } from '../chat/model-request.ts'
import { maxPartTokens, type Budget, windowProfile } from '../context/context-budget.ts'
import { messageTokens, renderInParts } from '../context/message-text.ts'
import { endsWithContinue } from '../context/assemble.ts'
import { messagesBehind, type LinkedMessage, type DigestLine } from '../sessions/digest.ts'
import type { FlushEntry } from '../sessions/transcript-entries.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { definitionsOf, isBuiltIn, offeredTools } from '../tools/built-in-tools.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { editNote } from '../tools/write-file-tool.ts'
import { checkNote, notesSchema, parseNotesReply } from './replies.ts'
import { compactionState, type CompactionInput } from './compaction-state.ts'
import { retryOnOverflow } from '../context/context-window-estimates.ts'

const maxAttempts = 2
/** Model requests for one chat or part; it usually takes two or three. */
const maxSteps = 8

export interface NoteTakerOptions {
  readonly transcript: Transcript
  readonly model: ChatModel
  /** Read again for each request, as a refusal may lower the window estimate. */
  readonly budget: () => Budget
  readonly prompts: () => Promise<Prompts>
  readonly toolContext: ToolContext
  readonly tools: readonly Tool[]
}

export type Measurement = Pick<CompactionInput, 'tokens' | 'factor'> & { readonly assembly: AssembledRequest }

type Conversation = Pick<ModelRequest, 'system' | 'messages' | 'tools'>

/**
 * Takes notes from the messages up to `through` from which none were taken. If the model fails twice, or cannot be
 * reached, an entry says so, and the messages wait.
 * @param measure returns the size of the request that would be sent now
 * @throws AppError if the transcript cannot be written; the abort error of the signal
 */
export async function takeNotes(options: NoteTakerOptions, through: string, measure: () => Promise<Measurement>) {
  const { transcript, model, toolContext } = options
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryOnOverflow(model, () => readUntaken(options, through, measure))
    } catch (error) {
      if (!(error instanceof AppError) || toolContext.signal.aborted) throw error
      // The request of a transient failure was already repeated.
      if (attempt < maxAttempts && !isTransient(error)) continue
      const { takenThrough: throughEntryId } = compactionState(transcript.branch())
      const failure = { status: 'failed', changes: [], lines: [], message: error.message } as const
      await transcript.append({ type: 'flush', ...failure, throughEntryId, missingEntryId: through })
      return
    }
  }
}

async function readUntaken(options: NoteTakerOptions, through: string, measure: () => Promise<Measurement>) {
  const { transcript } = options
  const { untaken, liveMessages } = compactionState(transcript.branch())
  const unread = untaken.slice(0, untaken.findIndex(({ id }) => id === through) + 1)
  const [first] = unread
  if (!first) return
  const takeFrom = async (conversation: Conversation, linked: readonly LinkedMessage[], throughEntryId: string) => {
    const outcome = await flush(options, conversation, linked)
    const status = outcome.changes.length > 0 ? 'wrote' : 'nothing'
    await transcript.append({ type: 'flush', status, throughEntryId, ...outcome })
  }
  const { contextWindow, reserveTokens } = options.budget()
  const { tokens, assembly, factor } = await measure()
  const prompt = await flushPrompt(options)
  const promptTokens = messageTokens({ role: 'user', content: prompt, timestamp: 0 })
  const isWhole = liveMessages.some(({ id }) => id === first.id)
  if (isWhole && tokens + promptTokens <= contextWindow - reserveTokens) {
    const { system, messages, tools } = assembly.request
    const conversation = endsWithContinue(messages) ? messages.slice(0, -1) : messages
    return takeFrom({ system, messages: conversation, tools }, liveMessages, through)
  }
  const tools = definitionsOf(offeredTools(options.tools, options.model))
  const limit = maxPartTokens(options.budget(), estimateTokens(JSON.stringify(tools) + prompt), factor)
  const unreadMessages = unread.map(({ message }) => message)
  // With sources, the text does not count as typed by the user.
  const sources = sourcesOfMessages(unreadMessages, [])
  const parts = renderInParts(unreadMessages, limit)
  for (const [index, { text, end }] of parts.entries()) {
    const content = `Part ${index + 1} of ${parts.length} of the conversation:\n\n<conversation>\n${text}\n</conversation>`
    const message: Message = { role: 'user', content, timestamp: 0, ...(sources.length > 0 && { sources }) }
    await takeFrom({ system: [], messages: [message], tools }, unread, unread[end - 1]?.id ?? '')
  }
}

/** @param linked messages the notes may come from @throws AppError of the model or a write; earlier changes remain */
async function flush(
  options: NoteTakerOptions,
  { system, messages: conversation, tools }: Conversation,
  linked: readonly LinkedMessage[],
): Promise<Pick<FlushEntry, 'changes' | 'lines' | 'usage'>> {
  const { transcript, model, budget, toolContext } = options
  const { layout } = toolContext.workspace
  const at = toolContext.now()
  const content = await flushPrompt(options)
  const lines = await transcript.linesOf(linked.map(({ id }) => id))
  const placeOf = (note: string) => {
    const line = lines.get(messagesBehind(note, linked)[0] ?? '')
    return `${sessionsPrefix}${toolContext.session}.jsonl${line === undefined ? '' : `:${line}`}`
  }
  const said = conversation.map(messageText).join('\n')
  const userText = userTextIn(conversation)
  const instructions = `${content}\n${system[0] ?? ''}`
  const doubtful = new Set<string>()
  const isKept = (note: string) => {
    const verdict = checkNote(note, said, instructions, userText)
    // A suggestion would not be private.
    if (verdict !== 'doubtful' || toolContext.visible.seesPrivate) return verdict !== 'bad'
    doubtful.add(`${note} [${placeOf(note)}]`)
    return false
  }
  const context: ToolContext = {
    ...toolContext,
    origin: { ...toolContext.origin, cause: 'flush' },
    mayWrite: (target) => isMemoryPath(target, layout),
    shortenEntries: (added, log) => shortenNotes(added, placeOf, log, isKept),
    sources: sourcesOfMessages(conversation, system.slice(1)),
    userText,
  }
  const memoryTools = options.tools.filter(isBuiltIn)
  const messages: Message[] = [...conversation, { role: 'user', content, timestamp: at.getTime() }]
  const request = {
    purpose: { kind: 'flush' },
    system,
    // The chat has the same tools: with others, the model server could not reuse the beginning of its requests.
    tools,
    // Servers that force a schema allow no tool call, so only models that need no other tool get one.
    ...(answersWithNotes(model) && { answerSchema: notesSchema }),
  } as const
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const maxOutput = Math.min(model.maxOutput, budget().reserveTokens)
    const answer = await complete(model, { ...request, messages, maxOutput }, toolContext.signal)
    usage = addUsage(usage, answer.usage)
    messages.push(answer)
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    if (calls.length === 0 && changes.length === 0 && answer.stopReason !== 'error')
      changes.push(...(await appendNotes(context, parseNotesReply(messageText(answer)), at)))
    await executeTools(calls, memoryTools, context, async (result) => {
      messages.push(result)
      if (result.details?.kind === 'change') changes.push(result.details.change)
    })
    if (calls.length === 0) break
  }
  if (doubtful.size > 0) await proposeNotes(context, [...doubtful], at)
  // A note that the log contains changes nothing.
  const made = changes.filter(({ added, removed }) => added + removed > 0)
  return { changes: made, lines: digestLinesOf(made, linked), usage }
}

/** Appends notes to today's log; returns [] if the log contains them, as parts of a chat can yield the same notes. */
async function appendNotes(context: ToolContext, notes: string | undefined, at: Date): Promise<FileChange[]> {
  if (notes === undefined) return []
  const { path, text } = await logOf(context, at)
  if (text?.includes(notes) || context.shortenEntries?.(notes, '') === '') return []
  const write = await editNote(path, context, (log) => addLogEntry(log, notes, at).text)
  return [await context.workspace.describe(write)]
}

async function proposeNotes(context: ToolContext, notes: readonly string[], at: Date): Promise<void> {
  const { path, text } = await logOf(context, at)
  const after = notes.reduce((log, note) => addLogEntry(log, note, at).text, text ?? '')
  await context.propose({ path, before: text, after, sources: [] })
}

async function logOf({ workspace }: ToolContext, at: Date) {
  const path = dailyLogPath(localDate(at), workspace.layout)
  return { path, text: (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined }
}

/** Returns true for models that write no file in a flush, but call `remember` or answer with the notes. */
function answersWithNotes({ contextWindow, takesTools }: ChatModel): boolean {
  return windowProfile(contextWindow).isSmall || takesTools?.() === false
}

async function flushPrompt({ model, prompts, toolContext }: NoteTakerOptions): Promise<string> {
  const { flush: promptOf, flushSystem, flushSmall } = await prompts()
  const today = localDate(toolContext.now())
  const todaysLog = dailyLogPath(today, toolContext.workspace.layout)
  const values = { todaysLog }
  const prompt = answersWithNotes(model) ? flushSmall(values) : `${flushSystem(values)}\n\n${promptOf(values)}`
  return withToday(prompt, today, todaysLog)
}

const maxNote = 300
const maxLine = 120

/** @returns 0-based lines, end exclusive; `title` of the heading, empty for list items */
function notesIn(lines: readonly string[]) {
  const notes: { from: number; to: number; title: string }[] = []
  let open: (typeof notes)[number] | undefined
  let title = ''
  for (const block of scanBlocks(lines, { isPart: true })) {
    if (block.parent) continue
    const { from, to } = block
    if (block.kind === 'heading') {
      open = undefined
      title = block.level > 1 ? block.title.replace(timePattern, '') : ''
    } else if (open && block.kind !== 'item') open.to = to
    else {
      const note = { from, to, title: block.kind === 'item' ? '' : title }
      open = block.kind === 'item' ? undefined : note
      notes.push(note)
    }
  }
  return notes
}

const timePattern = /^\d{1,2}:\d{2}\b\s*(?:[-–—]\s*)?/
const leadPattern = /^(?:[-*+]\s+)?(?:\d{1,2}:\d{2}\s+)?(?:[-–—]\s+)?/
const linkPattern = / … \[[^[\]\n]+\]/
const marks = /\s*\^\[[^\]\n]*\]/g

/**
 * Cuts notes of more than 300 characters at a word, and adds a link to the rest. Drops items that the log contains.
 * @param placeOf returns the link's target for a note
 * @param isKept returns false for a note to drop
 */
export function shortenNotes(
  added: string,
  placeOf: (note: string) => string,
  log = '',
  isKept: (note: string) => boolean = () => true,
): string {
  const lines = added.split('\n')
  const known = new Set(log.split(/\r?\n/).map((line) => line.replace(leadPattern, '')))
  const notes = notesIn(lines)
  for (const { from, to } of notes.toReversed()) {
    const note = lines.slice(from, to).join('\n')
    const lead = leadPattern.exec(note)?.[0] ?? ''
    const text = shorten(note.slice(lead.length), placeOf)
    const isRepeated = lead !== '' && known.has(text)
    lines.splice(from, to - from, ...(isRepeated || !isKept(note.slice(lead.length)) ? [] : [lead + text]))
  }
  // A heading whose items are all dropped goes, too.
  return notes.length > 0 && notesIn(lines).length === 0 ? '' : lines.join('\n')
}

function shorten(text: string, placeOf: (note: string) => string): string {
  // A fence in one line would open a code block.
  const words = text
    .replaceAll(/`{3,}|~{3,}/g, '')
    .replaceAll(marks, '')
    .split(/\s+/)
  const plain = words.join(' ').trim()
  if ([...plain.replace(linkPattern, '')].length <= maxNote) return text
  const cut = cutAtWord(plain, maxNote).replace(/…$/, ' …')
  return `${cut} [${placeOf(plain)}]${(text.match(marks) ?? []).join('')}`
}

export function digestLinesOf(changes: readonly FileChange[], messages: readonly LinkedMessage[]): DigestLine[] {
  return changes.flatMap(({ path, patch }) => {
    // A line that also occurs as removed is not new.
    const removed = new Set(patch.split('\n').flatMap((line) => (line.startsWith('-') ? [line.slice(1)] : [])))
    const lines = addedIn(patch).filter((line) => line.trim() === '' || !removed.has(line))
    return notesIn(lines).map(({ from, to, title }): DigestLine => {
      const note = lines.slice(from, to).join('\n').replaceAll(marks, '').replace(linkPattern, '')
      const [firstLine = ''] = note.replace(leadPattern, '').split('\n')
      const text = cutAtWord(title || withoutLead(firstLine).trim(), maxLine)
      return { kind: 'note', text, messages: messagesBehind(`${title} ${note}`, messages), note: path }
    })
  })
}
