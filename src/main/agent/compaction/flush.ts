/**
 * Runs a memory flush: a silent turn in which the model saves durable notes before part of the conversation is
 * summarised. It may write memory files only, and its text is never shown. Notes in the model's answer, without a tool
 * call, go to today's log.
 */
import type { FileChange } from '#shared/util/file-change.ts'
import { addUsage, messageText, noUsage, type Message, type ToolCallPart, type Usage } from '#shared/chat/messages.ts'
import { complete, type ChatModel } from '#llm'
import { addLogEntry, dailyLogPath, isMemoryPath, localDate, localTime } from '#workspace'
import { withSources } from '../tools/access-policy.ts'
import { sourcesOfMessages, userTextIn } from '../chat/provenance-tracking.ts'
import { executeTools } from '../tools/execute-tools.ts'
import { definitionsOf, builtInTools } from '../tools/built-in-tools.ts'
import type { ToolContext } from '../tools/tool.ts'

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
  readonly tools: ToolContext
  readonly maxOutput: number
  readonly at: Date
}

/** Runs a flush. @throws AppError if the model or a write fails; earlier changes remain */
export async function flush(request: FlushRequest): Promise<FlushOutcome> {
  const { model, system, conversation, prompt, tools, at } = request
  const maxOutput = Math.min(model.maxOutput, request.maxOutput)
  const { layout } = tools.workspace
  const mayWrite = (path: string) => isMemoryPath(path, layout)
  const restricted: ToolContext = { ...tools, origin: { ...tools.origin, cause: 'flush' }, mayWrite }
  const messages: Message[] = [...conversation, { role: 'user', content: prompt, timestamp: at.getTime() }]
  const today = localDate(at)
  const purpose = { kind: 'flush', today, time: localTime(at), todaysLog: dailyLogPath(today, layout) } as const
  const sources = [...tools.sources, ...sourcesOfMessages(conversation, system.slice(1))]
  const provenance = { sources, ownWords: userTextIn(conversation) }
  const changes: FileChange[] = []
  let usage = noUsage
  for (let step = 0; step < maxSteps; step += 1) {
    const answer = await complete(
      model,
      { purpose, system, messages, tools: definitionsOf(builtInTools), maxOutput },
      tools.signal,
    )
    usage = addUsage(usage, answer.usage)
    messages.push(answer)
    const calls = answer.content.filter((part): part is ToolCallPart => part.type === 'toolCall')
    if (calls.length === 0) {
      const notes =
        changes.length === 0 && answer.stopReason !== 'error' ? parseNotesReply(messageText(answer)) : undefined
      const noteContext = { ...restricted, isOfLocal: tools.isOfLocal || answer.local === true, ...provenance }
      return { changes: notes === undefined ? changes : await appendNotes(noteContext, notes, at), usage }
    }
    const context = { ...restricted, isOfLocal: tools.isOfLocal || answer.local === true, ...provenance }
    await executeTools(calls, builtInTools, context, async (result) => {
      messages.push(result)
      if (result.details?.kind === 'change') changes.push(result.details.change)
    })
  }
  return { changes, usage }
}

/** Appends notes to today's log; returns [] if it has them: parts of a conversation can yield the same notes. */
async function appendNotes(context: ToolContext, notes: string, at: Date): Promise<FileChange[]> {
  const { workspace, accessPolicy } = context
  const path = dailyLogPath(localDate(at), workspace.layout)
  if ((await workspace.exists(path)) && (await workspace.read(path)).text.includes(notes)) return []
  const write = await workspace.edit(path, withSources(context), (before) =>
    accessPolicy.written(path, before, (shown) => addLogEntry(shown, notes, at).text, context),
  )
  return [await workspace.describe(write)]
}

const noReply = /[*_`"'[(<]*\bno[_ -]?reply\b[*_`"'\])>.!]*/gi
const noNote =
  /^(ok(ay)?|done|noted|saved|understood|sure|all set|(i have |i |there (is|are|was|were) )?(found |see )?(nothing|no (new |further |other )?(durable )?(notes?|facts?|information))\b[^.\n\d]*|没有(什么)?(需要|值得|可)[^。\n\d]*|沒有(什麼)?(需要|值得|可)[^。\n\d]*|无需[^。\n\d]*|好的|好|已记录|已記錄)[\s.!。！]*$/i

/** Returns an answer without `NO_REPLY`; undefined if that leaves no notes. */
export function parseNotesReply(answer: string): string | undefined {
  const notes = answer.replaceAll(noReply, '').trim()
  return /[\p{L}\p{N}]/u.test(notes) && !noNote.test(notes) ? notes : undefined
}
