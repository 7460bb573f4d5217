/** Chooses the results of a search from the ranked units: short, without repetitions, and only if they are likely. */
import type { RankedUnit } from './rank.ts'

export interface SelectionLimits {
  /** Minimum score of the best result; null for the threshold of the model. */
  readonly minScore: number | null
  readonly maxResults: number
  /** Maximum characters of all results, as lines with path and date. */
  readonly maxCharacters: number
}

/** A ranked unit with what the selection needs of its text. */
export interface SelectableUnit {
  readonly unit: RankedUnit
  /** Equal for the parts of one divided entry. */
  readonly entry: string
  /** Equal for units that say the same. */
  readonly text: string
  /** Length of the result as one line of output. */
  readonly lineLength: number
  /** Filters of the query that exclude the unit, as written there. */
  readonly excludedBy: readonly string[]
}

export type UnitVerdict =
  | { readonly kind: 'returned'; readonly rank: number }
  /** Part of the same divided entry as result `rank`, and shown there. */
  | { readonly kind: 'joined'; readonly rank: number }
  /** Says the same as result `rank`. */
  | { readonly kind: 'duplicate'; readonly rank: number }
  | { readonly kind: 'weak' }
  | { readonly kind: 'overLimit' }
  | { readonly kind: 'outsideFilter'; readonly by: readonly string[] }

/**
 * Thresholds that keep wrong answers under 5 % on the judged sets. Lower for dialogues, where many lines share the
 * probability of an answer.
 */
const minBestScore = { notes: 0.25, dialogue: 0.1 }
/** Share of the threshold that the other results must reach: they complete a likely answer. */
const othersShare = 0.2

/** Returns a verdict for each unit. @param ranked best first */
export function selectResults(ranked: readonly SelectableUnit[], limits: SelectionLimits): UnitVerdict[] {
  const best = ranked.find(({ excludedBy }) => excludedBy.length === 0)?.unit
  const minBest = limits.minScore ?? (best?.features.isDialogue === 1 ? minBestScore.dialogue : minBestScore.notes)
  const isAnswered = best !== undefined && best.score >= minBest
  const minOther = limits.minScore ?? minBest * othersShare
  const ranks = { entries: new Map<string, number>(), texts: new Map<string, number>() }
  let count = 0
  let characters = 0
  return ranked.map(({ unit, entry, text, lineLength, excludedBy }): UnitVerdict => {
    if (excludedBy.length > 0) return { kind: 'outsideFilter', by: excludedBy }
    if (!isAnswered || unit.score < minOther) return { kind: 'weak' }
    const twin = ranks.texts.get(text)
    if (twin !== undefined) return { kind: 'duplicate', rank: twin }
    const isFitting = characters === 0 || characters + lineLength <= limits.maxCharacters
    const joined = ranks.entries.get(entry)
    if (!isFitting || (joined === undefined && count === limits.maxResults)) return { kind: 'overLimit' }
    characters += lineLength
    if (joined !== undefined) return { kind: 'joined', rank: joined }
    count += 1
    ranks.entries.set(entry, count)
    ranks.texts.set(text, count)
    return { kind: 'returned', rank: count }
  })
}
