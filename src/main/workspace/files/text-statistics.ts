import { visibilityOf } from '#shared/markdown/visibility.ts'
import { countWords, estimateTokens } from '#shared/util/tokens.ts'

/** Words, tokens and privacy of a text. */
export interface TextStatistics {
  /** Undefined for a large file, as is `tokens`. */
  readonly words?: number
  readonly tokens?: number
  /** By the marks in the text: 0 if it has none, 1 if some lines are private, 2 if the whole file is. */
  readonly privacy: number
  readonly problem?: string | null | undefined
}

interface FileState {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** The words of larger files are not counted, bytes. */
const maxCountedBytes = 1_000_000
const batchSize = 16

export class TextStatisticsCache {
  readonly #read: (path: string) => Promise<string>
  readonly #statistics = new Map<string, TextStatistics & { readonly size: number; readonly modifiedAt: number }>()

  constructor(read: (path: string) => Promise<string>) {
    this.#read = read
  }

  /** Returns the statistics of files by path. Files that cannot be read have none. */
  async load(files: readonly FileState[]): Promise<ReadonlyMap<string, TextStatistics>> {
    // Another load may read the same files at the same time.
    const found = new Map<string, TextStatistics>()
    for (let start = 0; start < files.length; start += batchSize)
      await Promise.all(files.slice(start, start + batchSize).map((file) => this.#addTo(found, file)))
    return found
  }

  async #addTo(found: Map<string, TextStatistics>, { path, size, modifiedAt }: FileState): Promise<void> {
    const cached = this.#statistics.get(path)
    if (cached?.size === size && cached.modifiedAt === modifiedAt) return void found.set(path, cached)
    const text = await this.#read(path).catch(() => undefined)
    if (text === undefined) return void this.#statistics.delete(path)
    const { isFullyPrivate, privateLines, problem } = visibilityOf(text)
    const statistics = {
      ...(size > maxCountedBytes ? {} : { words: countWords(text), tokens: estimateTokens(text) }),
      privacy: isFullyPrivate ? 2 : Math.min(1, privateLines.size),
      problem,
    }
    this.#statistics.set(path, { size, modifiedAt, ...statistics })
    found.set(path, statistics)
  }
}
