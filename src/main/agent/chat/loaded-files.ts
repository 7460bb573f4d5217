import { basename } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { sourceName } from '#shared/markdown/provenance.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import {
  dailyLogPath,
  localDate,
  longTermFile,
  memoryFolderPaths,
  ownFilePath,
  projectContextFiles,
  type Workspace,
} from '#workspace'
import { fileSection, type ContextFile } from '../context/assemble.ts'
import { sessionSummaryText } from '../context/context-budget.ts'
import type { VisibleMemory } from '../privacy/visible-memory.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { ChatOptions } from './chat-options.ts'

export interface LoadedFiles {
  readonly files: readonly ContextFile[]
  /** Private lines of these files that an open chat does not see. */
  readonly hiddenLines: ReadonlySet<string>
}

/**
 * Reads the project files, and what `chat.context` allows of MEMORY.md, logs and summaries of earlier sessions; only
 * SOUL.md without memory. Omits private logs: their names may tell the subject of a private chat.
 * @param transcript undefined for a new chat
 */
export async function loadFiles(
  { workspace, config, now, visibleTo }: ChatOptions,
  transcript: Transcript | undefined,
): Promise<LoadedFiles> {
  const { layout } = workspace
  const { chat } = config.current
  const { longTerm, logs, summaries } = chat.context
  const visible = visibleTo({ seesPrivate: transcript ? transcript.isPrivate : chat.default === 'private' })
  const hiddenLines = new Set<string>()
  const read = (files: Omit<ContextFile, 'text'>[]): Promise<ContextFile[]> =>
    Promise.all(
      files.map(async (file) => ({ ...file, text: await readVisible(workspace, file.path, visible, hiddenLines) })),
    )
  if (transcript?.isWithoutMemory === true)
    return { files: await read([{ path: ownFilePath('SOUL.md', layout), layer: 'project' }]), hiddenLines }
  const dayBefore = (days: number) => {
    const date = new Date(transcript?.header.createdAt ?? now())
    date.setDate(date.getDate() - days)
    return localDate(date)
  }
  const logFiles = (day: 'yesterday' | 'today', date: string) => {
    const inFolders = memoryFolderPaths(layout).map((folder) => `${folder}/${date}.md`)
    const logPaths = new Set([dailyLogPath(date, layout), ...inFolders])
    return [...logPaths].map((path) => ({ path, layer: 'logs', day }) as const)
  }
  const paths = [...projectContextFiles(layout), ...(longTerm ? [longTermFile(layout)] : [])]
  const dated = logs ? [...logFiles('yesterday', dayBefore(1)), ...logFiles('today', dayBefore(0))] : []
  const files = [
    ...(await read(paths.map((path) => ({ path, layer: 'project' })))),
    ...(await read(dated)).filter(({ text }) => text !== null),
    ...(summaries ? await recentSummaries(workspace, dayBefore, visible, basename(transcript?.file ?? '')) : []),
  ]
  return { files, hiddenLines }
}

const maxSummaryTokens = 1500
/** Days before the session whose summaries a request may contain. */
const summaryDays = 14

/** Returns the newest session summaries within `maxSummaryTokens`, oldest first, without their links. */
async function recentSummaries(
  workspace: Workspace,
  dayBefore: (days: number) => string,
  visible: VisibleMemory,
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
    const hiddenLines = new Set<string>()
    const summary = (await readVisible(workspace, path, visible, hiddenLines)) ?? ''
    const isOwn = ownTranscript !== '' && summary.includes(`[sessions/${ownTranscript}]`)
    const text = hiddenLines.size > 0 || isOwn ? undefined : sessionSummaryText(summary)
    if (text === undefined) continue
    const file = { path, text, layer: 'logs', day: 'summary' } as const
    remainingTokens -= estimateTokens(fileSection(file, text))
    if (remainingTokens < 0) break
    summaries.unshift(file)
  }
  return summaries
}

/** Reads the visible text of a file; null if it is hidden, and as `readText`. @param hiddenLines gets the other lines */
async function readVisible(workspace: Workspace, path: string, visible: VisibleMemory, hiddenLines: Set<string>) {
  const text = await readText(workspace, path)
  if (text === null || visible.seesPrivate) return text
  const shownText = visible.textOf(await workspace.realPath(path), text) ?? null
  const shown = new Set(shownText?.split('\n'))
  for (const line of text.split('\n')) if (!shown.has(line)) hiddenLines.add(line)
  return shownText
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
