import type { SearchResult } from '#shared/contract/index.ts'

export type ResultSource = SearchResult['source']

/** `path` has the prefix of the file's folder; `mtime` is in ms since the epoch, `size` in bytes. */
export interface ScannedFile {
  readonly path: string
  readonly source: ResultSource
  readonly hash: string
  readonly mtime: number
  readonly size: number
}

export interface FileContent extends ScannedFile {
  readonly text: string
  /** For transcripts: the local day of each line's message, `YYYY-MM-DD`. */
  readonly lineDays?: readonly (string | undefined)[]
}

export const sessionsPrefix = 'sessions/'
