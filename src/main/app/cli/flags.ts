import type { SearchOptions } from '#shared/contract/index.ts'
import type { EmbeddingProviderName } from '#shared/util/providers.ts'

export interface CommonFlags {
  readonly agent: string
  readonly workspace?: string
  readonly home?: string
  readonly json?: boolean
}

export interface WaitFlags {
  /** False with `--no-wait`. */
  readonly wait: boolean
}

export type SearchFlags = WaitFlags & Pick<SearchOptions, 'maxResults' | 'minScore'>

export type ExplainFlags = SearchFlags & { readonly why?: string }

export interface EvalFlags extends SearchFlags {
  readonly queries: string
  readonly offTopic?: string
  readonly provider?: EmbeddingProviderName
}

export interface AskFlags extends CommonFlags {
  readonly model?: string
  /** The id of a chat, its beginning, or `last`. */
  readonly session?: string
  readonly withoutMemory?: boolean
}

export interface McpFlags extends Omit<CommonFlags, 'agent'> {
  /** As the program was told; else it uses the memory that it was given in the settings. */
  readonly agent?: string
  /** What the program is called, where it was connected by us. */
  readonly client?: string
  readonly readOnly?: boolean
  /** Registers the memory with a program, or takes that back. */
  readonly install?: string
  readonly uninstall?: string
  /** Says only what would be written. */
  readonly dryRun?: boolean
}

export function searchOptions({ maxResults, minScore }: SearchFlags): SearchOptions {
  return { maxResults, minScore }
}
