import type { SearchResult } from '#shared/contract/index.ts'

export type Source = SearchResult['source']

export interface KnownFile {
  readonly path: string
  readonly source: Source
  readonly hash: string
  readonly mtime: number
  readonly size: number
}
