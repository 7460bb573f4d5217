import { basename } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import type { Message } from '#shared/chat/messages.ts'
import { assemble, fileSection, type Assembly, type ContextFile } from '../context/assemble.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { withTimestamp } from '../context/request-history.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { LinkedMessage } from '../sessions/digest.ts'
import {
  dailyLogPath,
  localDate,
  localTime,
  longTermFile,
  memoryFolderPaths,
  ownFilePath,
  projectContextFiles,
  type Workspace,
} from '#workspace'
import { sourceName, type Source } from '#shared/markdown/provenance.ts'
import type { PrivacyMarks } from '#workspace/privacy'
import { sourcesOfMessages } from './provenance-tracking.ts'
import { privateChatError } from './agent-models.ts'
import { loadPrompts } from './prompts.ts'
import { sessionSummaryText } from '../context/fit-text.ts'
import type { ChatOptions } from './chat-options.ts'
import { definitionsOf } from '../tools/built-in-tools.ts'
import type { Tool } from '../tools/tool.ts'
import type { ChatModel } from '#llm'

export type AssembledRequest = Assembly & {
  /** Sources of the request's text that are less trusted than the user. */
  readonly sources: readonly Source[]
}

export interface RequestParts {
  readonly model: ChatModel
  readonly tools: readonly Tool[]
  /** Undefined for a new conversation. */
  readonly transcript: Transcript | undefined
}

/** Builds the next request of a chat. @throws AppError `private_chat_remote_model` */
export async function assembleRequest(options: ChatOptions, parts: RequestParts): Promise<AssembledRequest> {
  const { model, transcript, tools } = parts
  const { config, workspace, marks, now, windowEstimates } = options
  const { chat } = config.current
  const at = now()
  const today = localDate(at)
  const todaysLog = dailyLogPath(today, workspace.layout)
  const { summary, summarySources, pruned, liveMessages } = compactionState(transcript?.branch() ?? [])
  const isWithoutMemory = transcript?.isWithoutMemory === true
  const isPrivate = transcript ? transcript.isPrivate : chat.default === 'private'
  // The chat may have become private since its model was chosen.
  if (isPrivate && !model.isLocal) throw privateChatError(model)
  const files = await contextFiles(options, transcript, isPrivate ? undefined : marks())
  const prompts = await loadPrompts(options)
  const systemPrompt = (isWithoutMemory ? prompts.withoutMemory : prompts.system)({
    agent: config.id,
    workspace: workspace.roots.workspace,
    today,
    weekday: new Intl.DateTimeFormat('en', { weekday: 'long' }).format(at),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    todaysLog,
  })
  const assembly = assemble({
    estimate: windowEstimates.estimateFor(model),
    purpose: {
      kind: 'chat',
      today,
      time: localTime(at),
      todaysLog,
      ...turnCutByCompaction(transcript?.messages() ?? [], liveMessages),
      ...(isWithoutMemory ? { isWithoutMemory: true } : {}),
    },
    model,
    systemPrompt,
    files,
    tools: definitionsOf(tools),
    thinking: chat.thinking === 'off' ? undefined : chat.thinking,
    summary,
    summarySources,
    pruned,
    messages: liveMessages.map(({ message }) => message),
    now: at.getTime(),
  })
  const { messages, system } = assembly.request
  return { ...assembly, sources: sourcesOfMessages(messages, system.slice(1)) }
}

/**
 * Returns the project files, and what `chat.context` allows of MEMORY.md, logs and summaries of earlier sessions; only
 * SOUL.md without memory. Omits private logs: their names may tell the subject of a private chat.
 * @param openMarks undefined for a private chat, which sees all text
 */
async function contextFiles(
  { workspace, config, now }: ChatOptions,
  transcript: Transcript | undefined,
  openMarks: PrivacyMarks | undefined,
): Promise<ContextFile[]> {
  const { layout } = workspace
  const { longTerm, logs, summaries } = config.current.chat.context
  const read = (files: Omit<ContextFile, 'text'>[]): Promise<ContextFile[]> =>
    Promise.all(files.map(async (file) => ({ ...file, text: await readOpenText(workspace, file.path, openMarks) })))
  if (transcript?.isWithoutMemory === true) return read([{ path: ownFilePath('SOUL.md', layout), layer: 'project' }])
  const dayBefore = (days: number) => {
    const date = new Date(transcript?.header.createdAt ?? now())
    date.setDate(date.getDate() - days)
    return localDate(date)
  }
  const logFiles = (day: 'yesterday' | 'today', date: string) => {
    const inFolders = memoryFolderPaths(layout).map((folder) => `${folder}/${date}.md`)
    return [...new Set([dailyLogPath(date, layout), ...inFolders])].map(
      (path) => ({ path, layer: 'logs', day }) as const,
    )
  }
  const paths = [...projectContextFiles(layout), ...(longTerm ? [longTermFile(layout)] : [])]
  const dated = logs ? [...logFiles('yesterday', dayBefore(1)), ...logFiles('today', dayBefore(0))] : []
  return [
    ...(await read(paths.map((path) => ({ path, layer: 'project' })))),
    ...(await read(dated)).filter(({ text }) => text !== null),
    ...(summaries ? await recentSummaries(workspace, dayBefore, openMarks, basename(transcript?.file ?? '')) : []),
  ]
}

/** Returns the current turn, from its user message on, if a compaction has replaced this message; otherwise {}. */
function turnCutByCompaction(all: readonly LinkedMessage[], live: readonly LinkedMessage[]): { turn?: Message[] } {
  const isUser = ({ message }: LinkedMessage) => message.role === 'user'
  const start = all.findLastIndex(isUser)
  return start < 0 || live.some(isUser) ? {} : { turn: all.slice(start).map(({ message }) => withTimestamp(message)) }
}

/** Limit of the tokens of session summaries in a request. */
const maxSummaryTokens = 1500
/** Days before the session whose summaries a request may contain. */
const summaryDays = 14

/** Returns the newest session summaries within `maxSummaryTokens`, oldest first, without their links. */
async function recentSummaries(
  workspace: Workspace,
  dayBefore: (days: number) => string,
  openMarks: PrivacyMarks | undefined,
  ownTranscript: string,
): Promise<ContextFile[]> {
  // Summaries are in few folders; listing these is cheaper than scanning all notes for every request.
  const list = async (folder: string) =>
    (await workspace.entryNames(folder)).map((name) => ({ name, path: `${folder}/${name}` }))
  const newestFirst = (await Promise.all(memoryFolderPaths(workspace.layout).map(list)))
    .flat()
    .filter(({ name }) => /^\d{4}-\d{2}-\d{2}-.+\.md$/.test(name))
    .filter(({ name }) => name > dayBefore(summaryDays) && name.slice(0, 10) <= dayBefore(0))
    .sort((one, other) => (one.name < other.name ? 1 : -1))
  const summaries: ContextFile[] = []
  let remainingTokens = maxSummaryTokens
  for (const { path } of newestFirst) {
    const full = (await readText(workspace, path)) ?? ''
    const isVisible = (await readOpenText(workspace, path, openMarks)) === full
    const isOwn = ownTranscript !== '' && full.includes(`[sessions/${ownTranscript}]`)
    const text = isVisible && !isOwn ? sessionSummaryText(full) : undefined
    if (text === undefined) continue
    const file = { path, text, layer: 'logs', day: 'summary' } as const
    remainingTokens -= estimateTokens(fileSection(file, text))
    if (remainingTokens < 0) break
    summaries.unshift(file)
  }
  return summaries
}

/** Reads a file without its private lines; null if it is wholly private, and as `readText`. */
async function readOpenText(workspace: Workspace, path: string, openMarks: PrivacyMarks | undefined) {
  const text = await readText(workspace, path)
  return text === null || !openMarks ? text : (openMarks.openText(await workspace.realPath(path), text) ?? null)
}

/** Returns null for a missing file, and the error in brackets if it cannot be read. An outside file names itself. */
async function readText(workspace: Workspace, path: string): Promise<string | null> {
  try {
    const { text } = await workspace.read(path)
    const [source] = (await workspace.known?.sourcesOf(path)) ?? []
    return source ? `${text}\n\n^[${sourceName(source)}]` : text
  } catch (error) {
    if (error instanceof AppError) return error.code === 'file_not_found' ? null : `[${error.message}]`
    throw error
  }
}
