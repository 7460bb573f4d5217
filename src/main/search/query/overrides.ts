/** What is in force for one search: the agent's settings, and what the caller has set otherwise. Pure. */
import type { SearchOptions, SearchSettings } from '#shared/contract/index.ts'

export function withOverrides(defaults: SearchSettings, overrides: SearchOptions): SearchSettings {
  const { weights, minScore, maxResults, recencyHalfLifeDays } = overrides
  return {
    weights: weights ?? defaults.weights,
    minScore: minScore ?? defaults.minScore,
    maxResults: maxResults ?? defaults.maxResults,
    // Null turns it off.
    recencyHalfLifeDays: recencyHalfLifeDays === undefined ? defaults.recencyHalfLifeDays : recencyHalfLifeDays,
  }
}
