/**
 * Runs a memory flush: a silent turn in which the model saves durable notes before part of the conversation is
 * summarised. The model may write memory files only, and its text is never shown. If it answers with notes instead of
 * calling a tool, they go to today's log. Long notes in logs are cut, with a link to the message.
 */
import { addUsage, messageText, noUsage, type Message, type ToolCallPart, type Usage } from '#shared/chat/messages.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { complete, type ChatModel, type ToolDefinition } from '#llm'
import { sessionsPrefix } from '#search'
import { addLogEntry, dailyLogPath, isMemoryPath, localDate, localTime } from '#workspace'
import { withToday, type Prompts } from '../chat/prompts.ts'
import { sourcesOfMessages, userTextIn } from '../chat/provenance-tracking.ts'
import type { Budget } from '../context/context-budget.ts'
import { messagesBehind } from '../sessions/digest.ts'
import type { FlushEntry } from '../sessions/transcript-entries.ts'
import type { Transcript } from '../sessions/transcript.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { definitionsOf, isBuiltIn, offeredTools } from '../tools/built-in-tools.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { editNote } from '../tools/write-file-tool.ts'
import { compactionState } from './compaction-state.ts'
import { windowProfile } from '../context/window-profile.ts'
import { checkNote } from './check-note.ts'
import { digestLinesOf, shortenNotes } from './flushed-notes.ts'
import { isRefusal } from './refusals.ts'

/** Model requests in one flush; it usually takes two or three. */
const maxSteps = 8

export type FlushOutcome = Pick<FlushEntry, 'changes' | 'lines'> & { usage: Usage }

export interface NoteWriterOptions {
  readonly transcript: Transcript
  readonly model: ChatModel
  /** Read again for each request, as a refusal may lower the window estimate. */
  readonly budget: () => Budget
  readonly prompts: () => Promise<Prompts>
  readonly toolContext: ToolContext
  /** Tools of the chat. */
  readonly tools: readonly Tool[]
}

interface FlushSource {
  readonly system?: readonly string[]
  /** The tools of the chat's requests: with others, the model server could not reuse their beginning. */
  readonly offered?: readonly ToolDefinition[]
  /** Path of the file with the text; undefined for a part of this conversation. */
  readonly file?: string | undefined
}

/** Runs a flush. @throws AppError if the model or a write fails; earlier changes remain */
export async function flush(
  options: NoteWriterOptions,
  conversation: readonly Message[],
  { system = [], file, offered = offeredBy(options) }: FlushSource,
): Promise<FlushOutcome> {
  const { transcript, model, budget, toolContext } = options
  const { layout } = toolContext.workspace
  const at = toolContext.now()
  const today = localDate(at)
  const todaysLog = dailyLogPath(today, layout)
  const content = await flushPrompt(options)
  // Stored messages that the notes may come from.
  const linked = file === undefined ? compactionState(transcript.branch()).liveMessages : []
  const lines = await transcript.linesOf(linked.map(({ id }) => id))
  const path = file ?? `${sessionsPrefix}${toolContext.session}.jsonl`
  const placeOf = (note: string) => {
    const line = lines.get(messagesBehind(note, linked)[0] ?? '')
    return line === undefined ? path : `${path}:${line}`
  }
  const said = conversation.map(messageText).join('\n')
  const userText = userTextIn(conversation)
  const instructions = `${content}\n${system[0] ?? ''}`
  const doubtful = new Set<string>()
  const isKept = (note: string) => {
    const verdict = checkNote(note, said, instructions, userText)
    // A suggestion would not be private.
    if (verdict !== 'doubtful' || toolContext.accessPolicy.seesPrivate) return verdict !== 'bad'
    doubtful.add(note)
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
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const answer = await complete(
      model,
      {
        purpose: { kind: 'flush', today, time: localTime(at), todaysLog },
        system,
        messages,
        tools: offered,
        maxOutput: Math.min(model.maxOutput, budget().reserveTokens),
      },
      toolContext.signal,
    )
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
  const { workspace } = context
  const path = dailyLogPath(localDate(at), workspace.layout)
  if ((await workspace.exists(path)) && (await workspace.read(path)).text.includes(notes)) return []
  if (context.shortenEntries?.(notes, '') === '') return []
  const write = await editNote(path, context, (log) => addLogEntry(log, notes, at).text)
  return [await workspace.describe(write)]
}

/** Adds the notes to the inbox: the user decides about them. */
async function proposeNotes({ workspace, propose }: ToolContext, notes: readonly string[], at: Date): Promise<void> {
  const path = dailyLogPath(localDate(at), workspace.layout)
  const before = (await workspace.exists(path)) ? (await workspace.read(path)).text : undefined
  const after = notes.reduce((log, note) => addLogEntry(log, note, at).text, before ?? '')
  await propose({ path, before, after, sources: [] })
}

export function offeredBy({ tools, model }: NoteWriterOptions): readonly ToolDefinition[] {
  return definitionsOf(offeredTools(tools, model))
}

/** Returns the last message of a flush: it asks for notes. */
export async function flushPrompt({ model, prompts, toolContext }: NoteWriterOptions): Promise<string> {
  const { flush: promptOf, flushSystem, flushSmall } = await prompts()
  const today = localDate(toolContext.now())
  const todaysLog = dailyLogPath(today, toolContext.workspace.layout)
  const isSmall = windowProfile(model.contextWindow).isSmall || model.takesTools?.() === false
  const prompt = isSmall
    ? flushSmall({ todaysLog })
    : `${flushSystem({ todaysLog })}

${promptOf({ todaysLog })}`
  return withToday(prompt, today, todaysLog)
}

const noReplyPattern = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi

/**
 * Returns the notes in an answer, as lines or `{"notes": […]}`, also if the JSON is cut off; undefined for `NO_REPLY` and
 * if there are none.
 */
export function parseNotesReply(answer: string): string | undefined {
  const listed = listedNotes(answer)
  const text = listed ? listed.map((note) => `- ${note}`).join('\n') : answer
  const notes = text.replaceAll(noReplyPattern, '').trim()
  const isDeclined = text.trimStart().search(noReplyPattern) === 0 && !/^\s*[-*+]\s/m.test(notes)
  return /[\p{L}\p{N}]/u.test(notes) && !isDeclined && !isRefusal(notes) ? notes : undefined
}

function listedNotes(answer: string): string[] | undefined {
  const [json] = /\{[^]*\}/.exec(answer) ?? []
  const value = json === undefined ? undefined : parseJson(json)
  const listed = isRecord(value) ? value['notes'] : undefined
  if (Array.isArray(listed)) return listed.map(String)
  const [, rest] = /^\W*(?:json\s*)?\{\s*"notes"\s*:\s*\[([^]*)/.exec(answer) ?? []
  return (
    rest?.match(/"(?:[^"\\]|\\.)*"/g)?.map((text) => String(parseJson(text))) ?? (rest === undefined ? undefined : [])
  )
}
