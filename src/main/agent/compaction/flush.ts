/**
 * Runs a memory flush: a silent turn in which the model saves durable notes before part of the conversation is
 * summarised. The model may write memory files only, and its text is never shown. If it answers with notes instead of
 * calling a tool, they go to today's log.
 */
import type { FileChange } from '#shared/util/file-change.ts'
import { addUsage, messageText, noUsage, type Message, type ToolCallPart, type Usage } from '#shared/chat/messages.ts'
import { complete, type ChatModel } from '#llm'
import { addLogEntry, dailyLogPath, isMemoryPath, localDate, localTime } from '#workspace'
import { sourcesOfMessages, userTextIn } from '../chat/provenance-tracking.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { definitionsOf, builtInTools } from '../tools/built-in-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import { editNote } from '../tools/write-file-tool.ts'

/** Model requests in one flush; it usually takes two or three. */
const maxSteps = 8

export interface FlushOutcome {
  readonly changes: readonly FileChange[]
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
}

/** Runs a flush. @throws AppError if the model or a write fails; earlier changes remain */
export async function flush(request: FlushRequest): Promise<FlushOutcome> {
  const { model, system, conversation, prompt, toolContext, at } = request
  const maxOutput = Math.min(model.maxOutput, request.maxOutput)
  const { layout } = toolContext.workspace
  const mayWrite = (path: string) => isMemoryPath(path, layout)
  const restrictedContext: ToolContext = { ...toolContext, origin: { ...toolContext.origin, cause: 'flush' }, mayWrite }
  const messages: Message[] = [...conversation, { role: 'user', content: prompt, timestamp: at.getTime() }]
  const today = localDate(at)
  const purpose = { kind: 'flush', today, time: localTime(at), todaysLog: dailyLogPath(today, layout) } as const
  const sources = [...toolContext.sources, ...sourcesOfMessages(conversation, system.slice(1))]
  const provenance = { sources, userText: userTextIn(conversation) }
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const answer = await complete(
      model,
      { purpose, system, messages, tools: definitionsOf(builtInTools), maxOutput },
      toolContext.signal,
    )
    usage = addUsage(usage, answer.usage)
    messages.push(answer)
    const context = { ...restrictedContext, ...provenance }
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    if (calls.length === 0) {
      const notes =
        changes.length === 0 && answer.stopReason !== 'error' ? parseNotesReply(messageText(answer)) : undefined
      return { changes: notes === undefined ? changes : await appendNotes(context, notes, at), usage }
    }
    await executeTools(calls, builtInTools, context, async (result) => {
      messages.push(result)
      if (result.details?.kind === 'change') changes.push(result.details.change)
    })
  }
  return { changes, usage }
}

/** Appends notes to today's log; returns [] if the log contains them, as parts of a chat can yield the same notes. */
async function appendNotes(context: ToolContext, notes: string, at: Date): Promise<FileChange[]> {
  const { workspace } = context
  const path = dailyLogPath(localDate(at), workspace.layout)
  if ((await workspace.exists(path)) && (await workspace.read(path)).text.includes(notes)) return []
  const write = await editNote(path, context, (visibleText) => addLogEntry(visibleText, notes, at).text)
  return [await workspace.describe(write)]
}

const noReplyPattern = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi
const noNotesPattern =
  /^(ok(ay)?|done|noted|saved|understood|sure|all set|(i have |i |there (is|are|was|were) )?(found |see )?(nothing|no (new |further |other )?(durable )?(notes?|facts?|information))\b[^.\n\d]*|没有(什么)?(需要|值得|可)[^。\n\d]*|沒有(什麼)?(需要|值得|可)[^。\n\d]*|无需[^。\n\d]*|好的|好|已记录|已記錄)[\s.!。！]*$/i

/** Returns an answer without `NO_REPLY`; undefined if that leaves no notes. */
export function parseNotesReply(answer: string): string | undefined {
  const notes = answer.replaceAll(noReplyPattern, '').trim()
  return /[\p{L}\p{N}]/u.test(notes) && !noNotesPattern.test(notes) ? notes : undefined
}
