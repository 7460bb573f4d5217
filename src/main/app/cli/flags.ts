import type { SearchOptions } from '#shared/contract/index.ts'
import type { EmbeddingProviderName } from '#shared/util/providers.ts'

export interface CommonFlags {
  readonly agent: string
  readonly workspace?: string
  readonly home?: string
  readonly json?: boolean
  readonly private?: boolean
}

export interface WaitFlags {
  /** False with `--no-wait`. */
  readonly wait: boolean
}

export interface SearchFlags
  extends WaitFlags, Pick<SearchOptions, 'maxResults' | 'minScore'>, Pick<CommonFlags, 'private'> {
  readonly grep?: boolean
  readonly failEmpty?: boolean
}

export interface EvalFlags extends SearchFlags {
  readonly queries: string
  readonly offTopic?: string
  readonly provider?: EmbeddingProviderName
}

export interface AskFlags extends CommonFlags {
  readonly model?: string
  /** Id of a chat, a prefix of it, or `last`. */
  readonly session?: string
  readonly withoutMemory?: boolean
  readonly sendAnyway?: boolean
  readonly asMessage?: boolean
}

export interface McpFlags extends Omit<CommonFlags, 'agent'> {
  /** Undefined: the agent that the settings assign to the program. */
  readonly agent?: string | undefined
  readonly client?: string | undefined
  readonly readOnly?: boolean
  readonly connector?: boolean
  readonly install?: string
  readonly uninstall?: string
  readonly dryRun?: boolean
}

export function searchOptions({ maxResults, minScore, private: hasPrivate = false }: SearchFlags): SearchOptions {
  return { maxResults, minScore, hasPrivate }
}

/** Returns the state folder of `--home`. It is needed before the arguments are parsed. */
export function homeFlag(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((arg) => arg === '--home' || arg.startsWith('--home='))
  return argv[index] === '--home' ? argv[index + 1] : argv[index]?.slice('--home='.length)
}
