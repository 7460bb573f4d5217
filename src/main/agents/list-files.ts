/** The files of a workspace as they are listed: what each is, its figures, and why it is not searched. */
import type { FileEntry, MemoryScope } from '../../shared/contract/index.ts'
import type { VaultHabits } from '../habits/index.ts'
import type { Memory } from '../memory/index.ts'
import { dailyLogDate, fileKind, unsearchedOf, type Workspace } from '../workspace/index.ts'
import type { LocalNote, LocalNotes } from '../visibility/index.ts'
import type { TextFigures } from './text-figures.ts'

interface Listed {
  readonly workspace: Workspace
  readonly memory: Memory
  readonly habits: VaultHabits
  readonly scope: MemoryScope
  /** What stays on this machine. */
  readonly localNotes: LocalNotes
  /** Of files that the index does not have. */
  readonly figures: TextFigures
}

export async function listFiles(
  { workspace, memory, habits, scope, localNotes, figures }: Listed,
  signal: AbortSignal | undefined,
): Promise<FileEntry[]> {
  const [{ files }, counts] = await Promise.all([workspace.list(signal), memory.fileCounts()])
  const counted = new Map(counts.filter(({ source }) => source === 'memory').map((file) => [file.path, file]))
  await habits.refresh(files.map(({ path }) => path))
  const { layout } = workspace
  const { unreadable } = memory
  const left = new Map(files.map(({ path }) => [path, unsearchedOf(path, scope, unreadable, layout)]))
  // What is about to be indexed is counted there.
  const isLeft = ({ path }: { path: string }) => (left.get(path)?.unsearched?.reason ?? 'unreadable') !== 'unreadable'
  const [own, sight] = await Promise.all([figures.of(files.filter(isLeft)), localNotes.look()])
  return files.map(({ path, size, modifiedAt }) => {
    const date = dailyLogDate(path, layout)
    const { words, tokens } = counted.get(path) ?? own.get(path) ?? { words: 0, tokens: Math.ceil(size / 4) }
    return {
      path,
      kind: fileKind(path, layout),
      ...(date === undefined ? {} : { date }),
      size,
      modifiedAt,
      words,
      tokens,
      ...left.get(path),
      ...localOf(sight.notes.get(path)),
    }
  })
}

function localOf(note: LocalNote | undefined): Pick<FileEntry, 'local'> {
  if (!note) return {}
  const { isWhole, rule, problem } = note
  return { local: { isWhole, ...(rule === undefined ? {} : { rule }), ...(problem === undefined ? {} : { problem }) } }
}
