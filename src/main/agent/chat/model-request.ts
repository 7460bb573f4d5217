import type { WhatIfWindow } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { Message } from '#shared/chat/messages.ts'
import { assemble, type Assembly, type ContextFile } from '../context/assemble.ts'
import { budgetOf, type Budget } from '../context/context-budget.ts'
import { compactionState } from '../compaction/compaction-state.ts'
import { withTimestamp } from '../context/request-history.ts'
import { hasLocalText, noRedactions, redactMessages, type ChatModel } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import {
  dailyLogDate,
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
import { sourcesOfMessages } from './provenance-tracking.ts'
import { loadPrompts, type Prompts } from './prompts.ts'
import type { ChatOptions } from './chat-options.ts'
import { definitionsOf } from '../tools/built-in-tools.ts'
import type { Tool } from '../tools/tool.ts'

export type AssembledRequest = Assembly & {
  /** True if the request contains text of local notes. */
  readonly isLocal: boolean
  /** Sources of the request's text that are less trusted than the user. */
  readonly sources: readonly Source[]
}

export interface RequestParts {
  readonly model: ChatModel
  /** Undefined for a new conversation. */
  readonly transcript: Transcript | undefined
  readonly tools: readonly Tool[]
  readonly change?: WhatIfWindow
}

export class RequestBuilder {
  readonly #options: ChatOptions

  constructor(options: ChatOptions) {
    this.#options = options
  }

  prompts(): Promise<Prompts> {
    const { resources, config, workspace } = this.#options
    return loadPrompts(resources, config.current, workspace.layout.own)
  }

  budget(model: ChatModel, contextWindow: number = model.contextWindow): Budget {
    return budgetOf({ maxOutput: model.maxOutput, contextWindow })
  }

  async assemble({ model, transcript, tools, change = {} }: RequestParts): Promise<AssembledRequest> {
    const { config, workspace, now, windowEstimates } = this.#options
    const { chat } = config.current
    const { contextWindow, without = [] } = change
    const at = now()
    const today = localDate(at)
    const branch = transcript?.branch() ?? []
    const { summary, isSummaryLocal, summarySources, pruned, liveMessages } = compactionState(branch)
    const sessionStart = transcript ? new Date(transcript.header.createdAt) : at
    const isWithoutMemory = transcript?.isWithoutMemory === true
    const files = isWithoutMemory ? await filesWithoutMemory(workspace) : await contextFiles(workspace, sessionStart)
    const messages = liveMessages.map(({ message }) => message)
    // Redact before truncating: half of a local line would not be recognised.
    const redacted = await this.#redactFor(model, files, messages, isSummaryLocal)
    const estimate = contextWindow === undefined ? windowEstimates.appliedEstimateFor(model) : undefined
    const assembly = assemble({
      ...(estimate ? { estimate } : {}),
      purpose: {
        kind: 'chat',
        today,
        time: localTime(at),
        todaysLog: dailyLogPath(today, workspace.layout),
        ...turnCutByCompaction(branch, liveMessages),
        ...(isWithoutMemory ? { isWithoutMemory: true } : {}),
      },
      modelId: model.id,
      budget: this.budget(model, contextWindow),
      maxOutput: model.maxOutput,
      systemPrompt: await this.#systemPrompt(at, isWithoutMemory),
      files: redacted.files.filter(({ path }) => !without.includes(path)),
      tools: definitionsOf(tools),
      thinking: chat.thinking === 'off' ? undefined : chat.thinking,
      summary: model.isLocal || !isSummaryLocal ? summary : redactedSummary,
      isSummaryLocal: model.isLocal && isSummaryLocal,
      summarySources,
      pruned,
      messages: redacted.messages,
      ...(redacted.heldBack ? { heldBack: redacted.heldBack } : {}),
      now: at.getTime(),
    })
    const { request } = assembly
    return {
      ...assembly,
      isLocal: model.isLocal && (transcript?.isPrivate === true || hasLocalText(request, redacted.sight)),
      sources: sourcesOfMessages(request.messages, request.system.slice(1)),
    }
  }

  async #redactFor(
    model: ChatModel,
    files: readonly ContextFile[],
    messages: readonly Message[],
    isSummaryLocal: boolean,
  ) {
    const sight = await this.#options.look()
    if (model.isLocal) return { sight, files, messages, heldBack: undefined }
    const redactions = noRedactions()
    if (isSummaryLocal) redactions.messages += 1
    const redactedFiles = files.map((file) => {
      if (file.text === null) return file
      const { text, redactedCount: lines } = sight.shown(file.path, file.text)
      if (lines > 0) redactions.notes.set(file.path, (redactions.notes.get(file.path) ?? 0) + lines)
      const countLine = (path: string) => redactions.notes.set(path, (redactions.notes.get(path) ?? 0) + 1)
      return { ...file, text: sight.net.redact(text, countLine, { isNote: true }) }
    })
    const redactedMessages = redactMessages(messages, sight, redactions)
    const notes = [...redactions.notes].map(([path, lines]) => ({ path, lines }))
    const hasRedactions = redactions.messages > 0 || notes.length > 0
    const heldBack = hasRedactions ? { messages: redactions.messages, notes } : undefined
    return { sight, files: redactedFiles, messages: redactedMessages, heldBack }
  }

  async #systemPrompt(at: Date, isWithoutMemory: boolean): Promise<string> {
    const { config, workspace } = this.#options
    const today = localDate(at)
    const { system, withoutMemory } = await this.prompts()
    return (isWithoutMemory ? withoutMemory : system)({
      agent: config.id,
      workspace: workspace.roots.workspace,
      today,
      weekday: new Intl.DateTimeFormat('en', { weekday: 'long' }).format(at),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      todaysLog: dailyLogPath(today, workspace.layout),
    })
  }
}

const redactedSummary = '[It stays on this machine: it was made of notes that are marked local.]'

/** Returns the current turn, from its user message on, if a compaction has replaced this message; otherwise {}. */
function turnCutByCompaction(
  branch: readonly TranscriptEntry[],
  liveMessages: readonly { readonly message: Message }[],
): { readonly turn?: readonly Message[] } {
  if (liveMessages.some(({ message }) => message.role === 'user')) return {}
  const messages = branch.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []))
  const lastUserIndex = messages.findLastIndex(({ role }) => role === 'user')
  return lastUserIndex < 0 ? {} : { turn: messages.slice(lastUserIndex).map(withTimestamp) }
}

/** Returns the project files, MEMORY.md, and the logs of the session's first day and the day before. */
async function contextFiles(workspace: Workspace, sessionStart: Date): Promise<ContextFile[]> {
  const yesterday = new Date(sessionStart)
  yesterday.setDate(yesterday.getDate() - 1)
  const days = [
    { date: localDate(yesterday), day: 'yesterday' as const },
    { date: localDate(sessionStart), day: 'today' as const },
  ]
  // Logs are in few folders; listing these is cheaper than scanning all notes for every request.
  const { layout } = workspace
  const folders = memoryFolderPaths(layout)
  const memoryPaths = await Promise.all(
    folders.map(async (folder) => (await workspace.entryNames(folder)).map((name) => `${folder}/${name}`)),
  )
  const logs = await Promise.all(
    days.map(async ({ date, day }) => {
      const defaultPath = dailyLogPath(date, layout)
      const paths = memoryPaths.flat().filter((path) => dailyLogDate(path, layout) === date)
      if (!paths.includes(defaultPath) && (await workspace.exists(defaultPath))) paths.push(defaultPath)
      return paths.map((path) => ({ path, layer: 'logs' as const, day }))
    }),
  )
  const projectFiles = [...projectContextFiles(layout), longTermFile(layout)].map((path) => ({
    path,
    layer: 'project' as const,
  }))
  return Promise.all(
    [...projectFiles, ...logs.flat()].map(async (file) => ({ ...file, text: await readText(workspace, file.path) })),
  )
}

async function filesWithoutMemory(workspace: Workspace): Promise<ContextFile[]> {
  const path = ownFilePath('SOUL.md', workspace.layout)
  return [{ path, layer: 'project', text: await readText(workspace, path) }]
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
