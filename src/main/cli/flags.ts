/** What commands are given besides their arguments. */

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

export interface SearchFlags extends WaitFlags {
  readonly maxResults?: number
  readonly minScore?: number
}

export interface ExplainFlags extends SearchFlags {
  readonly why?: string
}

export interface EvalFlags extends SearchFlags {
  readonly queries: string
  readonly offTopic?: string
  readonly provider?: 'none' | 'openai' | 'gemini' | 'openai-compatible' | 'local'
}

export function searchOptions({ maxResults, minScore }: SearchFlags) {
  return { ...(maxResults === undefined ? {} : { maxResults }), ...(minScore === undefined ? {} : { minScore }) }
}
