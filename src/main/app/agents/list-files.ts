import type { FileEntry, ListedFile, MemoryScope } from '#shared/contract/index.ts'
import {
  type ConventionsReader,
  dailyLogDate,
  fileKind,
  exclusionEntry,
  type Workspace,
  type FoundFile,
  type TextStatisticsCache,
} from '#workspace'
import type { Memory } from '#search'
import type { NotePrivacy, PrivacyMarks } from '#workspace/privacy'
import { orUndefined } from '#shared/util/errors.ts'

interface ListContext {
  readonly workspace: Workspace
  readonly memory: Memory
  readonly scope: MemoryScope
}

export interface ListOptions extends ListContext {
  readonly conventions: ConventionsReader
  readonly marks: PrivacyMarks
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

/** Lists files with sizes, token counts and privacy. @throws the signal's reason if it aborts */
export async function listFiles(options: ListOptions, signal?: AbortSignal): Promise<FileEntry[]> {
  const { workspace, memory, conventions, scope } = options
  const { files } = await workspace.list(signal)
  await conventions.refresh(files.map(({ path }) => path))
  const facts = await factsOf(files, options)
  return files.map((file) => {
    const { path, size, modifiedAt } = file
    const { words = 0, tokens = Math.ceil(size / 4), privacy } = facts.get(path) ?? {}
    return {
      ...toListedFile({ workspace, memory, scope }, path),
      size,
      modifiedAt,
      words,
      tokens,
      ...(privacy ? { privacy } : {}),
    }
  })
}

/** Returns the privacy of the files that are wholly or partly private, by path. */
export async function privacyOfFiles(
  files: readonly FoundFile[],
  options: Omit<ListOptions, 'conventions' | 'scope'>,
): Promise<ReadonlyMap<string, NonNullable<FileEntry['privacy']>>> {
  const facts = await factsOf(files, options)
  return new Map([...facts].flatMap(([path, { privacy }]) => (privacy ? [[path, privacy] as const] : [])))
}

interface FileFacts {
  readonly words?: number
  readonly tokens?: number
  readonly privacy: FileEntry['privacy']
}

/** Takes the facts of unchanged files from the index, and reads the others. */
async function factsOf(
  files: readonly FoundFile[],
  { memory, marks, textStatistics }: Omit<ListOptions, 'conventions' | 'scope'>,
): Promise<ReadonlyMap<string, FileFacts>> {
  const indexed = new Map(((await orUndefined(memory.indexedFiles())) ?? []).map((file) => [file.path, file]))
  const isIndexed = ({ path, size, modifiedAt }: FoundFile) => {
    const known = indexed.get(path)
    return known?.size === size && known.mtime === modifiedAt
  }
  const read = await textStatistics.load(files.filter((file) => !isIndexed(file)))
  return new Map(
    files.map((file) => {
      const { path } = file
      const known = isIndexed(file) ? indexed.get(path) : undefined
      const found = read.get(path)
      const { words, tokens } = known ?? found ?? indexed.get(path) ?? {}
      const visibility = known ? { isFullyPrivate: known.privacy === 2, isPartly: known.privacy === 1 } : found
      const problem = known ? (known.problem ?? undefined) : found?.problem
      const privacy = privacyOf(marks.of(path, ''), visibility, problem)
      return [path, { ...(words === undefined || tokens === undefined ? {} : { words, tokens }), privacy }] as const
    }),
  )
}

/** @param byText by the marks in the text; undefined if it cannot be read, which hides the file */
function privacyOf(
  { rule }: NotePrivacy,
  byText: { readonly isFullyPrivate: boolean; readonly isPartly: boolean } | undefined,
  problem: string | undefined,
): FileEntry['privacy'] {
  const isWhole = rule !== undefined || byText === undefined || byText.isFullyPrivate
  if (!isWhole && !byText.isPartly) return undefined
  return { isWhole, ...(rule === undefined ? {} : { rule }), ...(problem === undefined ? {} : { problem }) }
}
