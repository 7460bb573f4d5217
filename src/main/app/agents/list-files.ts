import type { FileEntry, ListedFile, MemoryScope } from '#shared/contract/index.ts'
import { type Conventions, dailyLogDate, fileKind, type Workspace, type WalkedFile, exclusionReason } from '#workspace'
import { inBatches } from '#platform'
import type { Memory } from '#search'
import type { PrivacyMarks } from '#workspace/privacy'
import { orUndefined } from '#shared/util/errors.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'

interface ListContext {
  readonly workspace: Workspace
  readonly memory: Memory
  readonly scope: MemoryScope
}

export interface ListOptions extends ListContext {
  readonly conventions: Conventions
  readonly marks: PrivacyMarks
  readonly textStatistics: ReturnType<typeof cachedStatistics>
}

/** Reads no files. @throws the signal's reason if it aborts */
export async function listPaths(context: ListContext, signal?: AbortSignal): Promise<ListedFile[]> {
  return (await context.workspace.paths(signal)).map((path) => toListedFile(context, path))
}

function toListedFile({ workspace: { layout }, memory, scope }: ListContext, path: string): ListedFile {
  const date = dailyLogDate(path, layout)
  const reason = exclusionReason(path, scope, layout)
  const message = memory.unreadable.get(path)
  return {
    path,
    kind: fileKind(path, layout),
    ...(date === undefined ? {} : { date }),
    ...(reason && { unsearched: { reason } }),
    ...(!reason && message !== undefined && { unsearched: { reason: 'unreadable' as const, message } }),
  }
}

/** @throws the signal's reason if it aborts */
export async function listFiles(options: ListOptions, signal?: AbortSignal): Promise<FileEntry[]> {
  const { workspace, conventions } = options
  const { files } = await workspace.list(signal)
  await conventions.refresh(files.map(({ path }) => path))
  const listed = new Map(files.map(({ path }) => [path, toListedFile(options, path)]))
  // The index will have the others soon. It may have to read thousands of files first.
  const isExcluded = ({ path }: FileState) => ![undefined, 'unreadable'].includes(listed.get(path)?.unsearched?.reason)
  const facts = await factsOf(files, options, isExcluded)
  return files.map(({ path, size, modifiedAt }) => {
    const { words = 0, tokens = Math.ceil(size / 4), ...visibility } = facts.get(path) ?? unknownFacts
    const privacy = privacyOf(path, visibility, options)
    return { ...toListedFile(options, path), size, modifiedAt, words, tokens, ...(privacy ? { privacy } : {}) }
  })
}

type FileState = Pick<WalkedFile, 'path' | 'size' | 'modifiedAt'>
type FactsOptions = Omit<ListOptions, 'conventions' | 'scope'>

/** Returns the privacy of the files that are wholly or partly private, by path. An unreadable file counts as private. */
export async function privacyOfFiles(
  files: readonly FileState[],
  options: FactsOptions,
): Promise<ReadonlyMap<string, NonNullable<FileEntry['privacy']>>> {
  const facts = await factsOf(files, options, () => true)
  return new Map(
    files.flatMap(({ path }) => {
      const privacy = privacyOf(path, facts.get(path) ?? { privacy: 2 }, options)
      return privacy ? [[path, privacy] as const] : []
    }),
  )
}

const unknownFacts: TextStatistics = { privacy: 0 }

/** Takes the facts of unchanged files from the index, and those of other files from their text if they may be read. */
async function factsOf(
  files: readonly FileState[],
  { memory, textStatistics }: FactsOptions,
  mayRead: (file: FileState) => boolean,
): Promise<ReadonlyMap<string, TextStatistics>> {
  const indexed = new Map(((await orUndefined(memory.indexedFiles())) ?? []).map((file) => [file.path, file]))
  const changed = files.filter(({ path, size, modifiedAt }) => {
    const known = indexed.get(path)
    return known?.size !== size || known.mtime !== modifiedAt
  })
  const read = await textStatistics(changed.filter(mayRead))
  for (const { path } of changed) indexed.delete(path)
  return new Map<string, TextStatistics>([...indexed, ...read])
}

function privacyOf(
  path: string,
  { privacy, problem }: Pick<TextStatistics, 'privacy' | 'problem'>,
  { marks }: Pick<FactsOptions, 'marks'>,
): FileEntry['privacy'] {
  const { rule } = marks.of(path, '')
  if (rule === undefined && privacy === 0) return undefined
  const isWhole = rule !== undefined || privacy === 2
  return { isWhole, ...(rule === undefined ? {} : { rule }), ...(problem ? { problem } : {}) }
}

interface TextStatistics {
  /** Undefined for a large file, as is `tokens`. */
  readonly words?: number
  readonly tokens?: number
  /** By the marks in the text: 0 if it has none, 1 if some lines are private, 2 if the whole file is. */
  readonly privacy: number
  readonly problem?: string | null | undefined
}

const maxCountedBytes = 1_000_000
const batchSize = 16

/** @returns a function that returns statistics by path; files that cannot be read have none */
export function cachedStatistics(read: (path: string) => Promise<string>) {
  const cache = new Map<string, TextStatistics & { readonly size: number; readonly modifiedAt: number }>()
  const statisticsOf = async ({ path, size, modifiedAt }: FileState) => {
    const cached = cache.get(path)
    if (cached?.size === size && cached.modifiedAt === modifiedAt) return cached
    const text = await read(path).catch(() => undefined)
    if (text === undefined) return undefined
    const { isFullyPrivate, privateLines, problem } = visibilityOf(text)
    const counts = size > maxCountedBytes ? {} : { words: countWords(text), tokens: estimateTokens(text) }
    const privacy = isFullyPrivate ? 2 : Math.min(1, privateLines.size)
    const statistics = { size, modifiedAt, ...counts, privacy, problem }
    cache.set(path, statistics)
    return statistics
  }
  return async (files: readonly FileState[]): Promise<ReadonlyMap<string, TextStatistics>> => {
    const found = await inBatches(files, batchSize, async (file) => [file.path, await statisticsOf(file)] as const)
    return new Map(found.flatMap(([path, statistics]) => (statistics ? [[path, statistics]] : [])))
  }
}
