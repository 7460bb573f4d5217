import type { SearchOptions, SearchSettings } from '#shared/contract/index.ts'

export interface SearchOverrides extends SearchOptions {
  /** False for readers who must not see chats. Default true. */
  readonly hasChats?: boolean
  /** True for the recall before an answer: it has thresholds of its own. */
  readonly isRecall?: boolean
}

export function withOverrides(defaults: SearchSettings, overrides: SearchOptions): SearchSettings {
  const { weights, minScore, maxResults, maxCharacters, recencyHalfLifeDays } = overrides
  return {
    weights: weights ?? defaults.weights,
    minScore: minScore ?? defaults.minScore,
    maxResults: maxResults ?? defaults.maxResults,
    maxCharacters: maxCharacters ?? defaults.maxCharacters,
    // Null turns it off.
    recencyHalfLifeDays: recencyHalfLifeDays === undefined ? defaults.recencyHalfLifeDays : recencyHalfLifeDays,
  }
}
