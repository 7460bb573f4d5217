import type { SearchResult } from '#shared/contract/index.ts'

export type Source = SearchResult['source']

/** `path` has the prefix of the file's folder; `mtime` is in ms since the epoch, `size` in bytes. */
export interface KnownFile {
  readonly path: string
  readonly source: Source
  readonly hash: string
  readonly mtime: number
  readonly size: number
}

export interface FileContent extends KnownFile {
  readonly text: string
  /** For transcripts: the local day of each line's message, `YYYY-MM-DD`. */
  readonly lineDays?: readonly (string | undefined)[]
}

export const sessionsPrefix = 'sessions/'
