/**
 * Runs a memory flush: a silent turn in which the model saves durable notes before part of the conversation is
 * summarised. The model may write memory files only, and its text is never shown. If it answers with notes instead of
 * calling a tool, they go to today's log. Long notes in logs are cut, with a link to the message.
 */
import { z } from 'zod'
import type { FileChange } from '#shared/util/file-change.ts'
import { addUsage, messageText, noUsage, type Message, type ToolCallPart, type Usage } from '#shared/chat/messages.ts'
import { complete, type ChatModel } from '#llm'
import { addLogEntry, dailyLogPath, isMemoryPath, localDate, localTime } from '#workspace'
import { sourcesOfMessages, userTextIn } from '../chat/provenance-tracking.ts'
import type { DigestLine, LinkedMessage } from '../sessions/digest.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { builtInTools, definitionsOf } from '../tools/built-in-tools.ts'
import { defineTool, type ToolContext } from '../tools/tool.ts'
import { editNote } from '../tools/write-file-tool.ts'
import { digestLinesOf, shortenNotes } from './flushed-notes.ts'
import { isRefusal } from './refusals.ts'

/** Model requests in one flush; it usually takes two or three. */
const maxSteps = 8

const nothingToSave = defineTool({
  name: 'nothing_to_save',
  description: 'Ends the memory flush if the conversation has nothing to save.',
  readOnly: true,
  parameters: z.object({}),
  run: () => Promise.resolve({ text: 'ok' }),
})

export const flushTools = [...builtInTools, nothingToSave]

export interface FlushOutcome {
  readonly changes: readonly FileChange[]
  /** The notes that were written. */
  readonly lines: readonly DigestLine[]
  readonly usage: Usage
}

export interface FlushRequest {
  readonly model: ChatModel
  readonly system: readonly string[]
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
  const context: ToolContext = {
    ...toolContext,
    origin: { ...toolContext.origin, cause: 'flush' },
    mayWrite: (path) => isMemoryPath(path, layout),
    shortenEntries: (added, log) => shortenNotes(added, request.placeOf, log),
    sources: [...toolContext.sources, ...sourcesOfMessages(conversation, system.slice(1))],
    userText: userTextIn(conversation),
  }
  const messages: Message[] = [...conversation, { role: 'user', content: prompt, timestamp: at.getTime() }]
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const answer = await complete(
      model,
      { purpose, system, messages, tools: definitionsOf(flushTools), maxOutput },
      toolContext.signal,
    )
    usage = addUsage(usage, answer.usage)
    messages.push(answer)
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    if (calls.length === 0 && changes.length === 0 && answer.stopReason !== 'error')
      changes.push(...(await appendNotes(context, parseNotesReply(messageText(answer)), at)))
    await executeTools(calls, flushTools, context, async (result) => {
      messages.push(result)
      if (result.details?.kind === 'change') changes.push(result.details.change)
    })
    if (calls.length === 0 || calls.some(({ name }) => name === nothingToSave.name)) break
  }
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
  const write = await editNote(path, context, (log) => addLogEntry(log, notes, at).text)
  return [await workspace.describe(write)]
}

const noReplyPattern = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi

/** Returns an answer without `NO_REPLY`; undefined if that leaves no notes. */
export function parseNotesReply(answer: string): string | undefined {
  const notes = answer.replaceAll(noReplyPattern, '').trim()
  return /[\p{L}\p{N}]/u.test(notes) && !isRefusal(notes) ? notes : undefined
}
