import type { FileEntry, ListedFile, MemoryScope } from '#shared/contract/index.ts'
import {
  type ConventionsReader,
  dailyLogDate,
  fileKind,
  exclusionEntry,
  type Workspace,
  type TextStatisticsCache,
} from '#workspace'
import type { Memory } from '#search'
import type { LocalNote, LocalNotes } from '#workspace/privacy'

interface ListContext {
  readonly workspace: Workspace
  readonly memory: Memory
  readonly scope: MemoryScope
}

export interface ListOptions extends ListContext {
  readonly conventions: ConventionsReader
  readonly localNotes: LocalNotes
  readonly textStatistics: TextStatisticsCache
}

/** Lists files by workspace-relative path, without stat or read. @throws the signal's reason if it aborts */
export async function listPaths(context: ListContext, signal?: AbortSignal): Promise<ListedFile[]> {
  return (await context.workspace.paths(signal)).map((path) => toListedFile(context, path))
}

function toListedFile({ workspace: { layout }, memory, scope }: ListContext, path: string): ListedFile {
  const date = dailyLogDate(path, layout)
  return {
    path,
    kind: fileKind(path, layout),
    ...(date === undefined ? {} : { date }),
    ...exclusionEntry(path, scope, memory.unreadable, layout),
  }
}

/** Lists files with sizes, token counts and local marks. @throws the signal's reason if it aborts */
export async function listFiles(
  { workspace, memory, conventions, scope, localNotes, textStatistics }: ListOptions,
  signal?: AbortSignal,
): Promise<FileEntry[]> {
  const [{ files }, counts] = await Promise.all([workspace.list(signal), memory.fileCounts()])
  const indexCounts = new Map(counts.filter(({ source }) => source === 'memory').map((file) => [file.path, file]))
  await conventions.refresh(files.map(({ path }) => path))
  const entries = files.map(({ path, size, modifiedAt }) => ({
    ...toListedFile({ workspace, memory, scope }, path),
    size,
    modifiedAt,
  }))
  // Unreadable files are not counted: they keep the counts of the index or get an estimate.
  const isExcluded = ({ unsearched }: ListedFile) => unsearched !== undefined && unsearched.reason !== 'unreadable'
  const [statistics, snapshot] = await Promise.all([textStatistics.load(entries.filter(isExcluded)), localNotes.look()])
  return entries.map((file) => {
    const { path, size } = file
    const { words, tokens } = indexCounts.get(path) ?? statistics.get(path) ?? { words: 0, tokens: Math.ceil(size / 4) }
    return { ...file, words, tokens, ...localOf(snapshot.notes.get(path)) }
  })
}

function localOf(note: LocalNote | undefined): Pick<FileEntry, 'local'> {
  if (!note) return {}
  const { isFullyLocal: isWhole, rule, problem } = note
  return { local: { isWhole, ...(rule === undefined ? {} : { rule }), ...(problem === undefined ? {} : { problem }) } }
}
