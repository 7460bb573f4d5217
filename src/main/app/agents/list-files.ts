import type { FileEntry, ListedFile, MemoryScope } from '#shared/contract/index.ts'
import {
  type VaultHabits,
  dailyLogDate,
  fileKind,
  exclusionEntry,
  type Workspace,
  type TextStatisticsCache,
} from '#workspace'
import type { Memory } from '#search'
import type { LocalNote, LocalNotes } from '#workspace/privacy'

interface Named {
  readonly workspace: Workspace
  readonly memory: Memory
  readonly scope: MemoryScope
}

export interface ListOptions extends Named {
  readonly habits: VaultHabits
  readonly localNotes: LocalNotes
  readonly figures: TextStatisticsCache
}

/** Lists files by workspace-relative path, without stat or read. @throws the signal's reason if it aborts */
export async function listPaths(named: Named, signal: AbortSignal | undefined): Promise<ListedFile[]> {
  return (await named.workspace.paths(signal)).map((path) => listed(named, path))
}

function listed({ workspace: { layout }, memory, scope }: Named, path: string): ListedFile {
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
  { workspace, memory, habits, scope, localNotes, figures }: ListOptions,
  signal: AbortSignal | undefined,
): Promise<FileEntry[]> {
  const [{ files }, counts] = await Promise.all([workspace.list(signal), memory.fileCounts()])
  const counted = new Map(counts.filter(({ source }) => source === 'memory').map((file) => [file.path, file]))
  await habits.refresh(files.map(({ path }) => path))
  const all = files.map(({ path, size, modifiedAt }) => ({
    ...listed({ workspace, memory, scope }, path),
    size,
    modifiedAt,
  }))
  // Unreadable files use the counts of the index or an estimate.
  const isLeft = ({ unsearched }: ListedFile) => (unsearched?.reason ?? 'unreadable') !== 'unreadable'
  const [own, sight] = await Promise.all([figures.of(all.filter(isLeft)), localNotes.look()])
  return all.map((file) => {
    const { path, size } = file
    const { words, tokens } = counted.get(path) ?? own.get(path) ?? { words: 0, tokens: Math.ceil(size / 4) }
    return { ...file, words, tokens, ...localOf(sight.notes.get(path)) }
  })
}

function localOf(note: LocalNote | undefined): Pick<FileEntry, 'local'> {
  if (!note) return {}
  const { isWhole, rule, problem } = note
  return { local: { isWhole, ...(rule === undefined ? {} : { rule }), ...(problem === undefined ? {} : { problem }) } }
}
