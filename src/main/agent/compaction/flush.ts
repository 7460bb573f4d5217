/**
 * Runs a memory flush: a silent turn in which the model saves durable notes before part of the conversation is
 * summarised. The model may write memory files only, and its text is never shown. If it answers with notes instead of
 * calling a tool, they go to today's log. Long notes in logs are cut, with a link to the message.
 */
import type { FileChange } from '#shared/util/file-change.ts'
import { addUsage, messageText, noUsage, type Message, type ToolCallPart, type Usage } from '#shared/chat/messages.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import { complete, type ChatModel, type ToolDefinition } from '#llm'
import { addLogEntry, dailyLogPath, isMemoryPath, localDate, localTime } from '#workspace'
import { sourcesOfMessages, userTextIn } from '../chat/provenance-tracking.ts'
import type { DigestLine, LinkedMessage } from '../sessions/digest.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { isBuiltIn } from '../tools/built-in-tools.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { editNote } from '../tools/write-file-tool.ts'
import { digestLinesOf, shortenNotes } from './flushed-notes.ts'
import { checkNote } from './check-note.ts'
import { isRefusal } from './refusals.ts'

/** Model requests in one flush; it usually takes two or three. */
const maxSteps = 8

export interface FlushOutcome {
  readonly changes: readonly FileChange[]
  /** The notes that were written. */
  readonly lines: readonly DigestLine[]
  readonly usage: Usage
}

export interface FlushRequest {
  readonly model: ChatModel
  readonly system: readonly string[]
  /** The tools of the chat's requests: with others, the model server could not reuse their beginning. */
  readonly offered: readonly ToolDefinition[]
  readonly tools: readonly Tool[]
  readonly conversation: readonly Message[]
  readonly prompt: string
  readonly toolContext: ToolContext
  readonly maxOutput: number
  readonly at: Date
  /** Stored messages that the notes may come from. */
  readonly messages: readonly LinkedMessage[]
  /** Returns the place that a shortened note links to: `path:line`. */
  readonly placeOf: (note: string) => string
}

/** Runs a flush. @throws AppError if the model or a write fails; earlier changes remain */
export async function flush(request: FlushRequest): Promise<FlushOutcome> {
  const { model, system, conversation, prompt, toolContext, at } = request
  const maxOutput = Math.min(model.maxOutput, request.maxOutput)
  const { layout } = toolContext.workspace
  const today = localDate(at)
  const purpose = { kind: 'flush', today, time: localTime(at), todaysLog: dailyLogPath(today, layout) } as const
  const said = conversation.map(messageText).join('\n')
  const doubtful = new Set<string>()
  const isKept = (note: string) => {
    const verdict = checkNote(note, said, prompt)
    // A suggestion would not be private.
    if (verdict !== 'doubtful' || toolContext.accessPolicy.seesPrivate) return verdict !== 'bad'
    doubtful.add(note)
    return false
  }
  const context: ToolContext = {
    ...toolContext,
    origin: { ...toolContext.origin, cause: 'flush' },
    mayWrite: (path) => isMemoryPath(path, layout),
    shortenEntries: (added, log) => shortenNotes(added, request.placeOf, log, isKept),
    sources: [...toolContext.sources, ...sourcesOfMessages(conversation, system.slice(1))],
    userText: userTextIn(conversation),
  }
  const memoryTools = request.tools.filter(isBuiltIn)
  const messages: Message[] = [...conversation, { role: 'user', content: prompt, timestamp: at.getTime() }]
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const answer = await complete(
      model,
      { purpose, system, messages, tools: request.offered, maxOutput },
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
  return { changes: made, lines: digestLinesOf(made, request.messages), usage }
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

const noReplyPattern = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi

/** Returns the notes in an answer, as lines or `{"notes": […]}`; undefined for `NO_REPLY` and if there are none. */
export function parseNotesReply(answer: string): string | undefined {
  const [json] = /\{[^]*\}/.exec(answer) ?? []
  const value = json === undefined ? undefined : parseJson(json)
  const listed = isRecord(value) ? value['notes'] : undefined
  const text = Array.isArray(listed) ? listed.map((note) => `- ${String(note)}`).join('\n') : answer
  const notes = text.replaceAll(noReplyPattern, '').trim()
  return /[\p{L}\p{N}]/u.test(notes) && !isRefusal(notes) ? notes : undefined
}
