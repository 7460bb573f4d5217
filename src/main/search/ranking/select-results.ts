/** Chooses the results of a search from the ranked units: short, without repetitions, and only if they are likely. */
import type { Verdict } from '#shared/contract/index.ts'
import type { RankedUnit, RecallThresholds } from './rank.ts'

export interface SelectionLimits {
  /** Minimum score of the best result; null for the threshold of the model. */
  readonly minScore: number | null
  /** Instead of the thresholds of the model. */
  readonly recall?: RecallThresholds | undefined
  readonly maxResults: number
  /** Maximum sum of `lineLength`. */
  readonly maxCharacters: number
}

export interface SelectableText {
  /** Equal for the parts of one divided entry. */
  readonly entry: string
  /** Equal for units that say the same; undefined if these are not joined. */
  readonly text: string | undefined
  /** Length of the result as one line of output with path and date; with classic weights, of its text alone. */
  readonly lineLength: number
}

/** Only a unit that `alsoRank` names is `outsideFilter`; `by` has the filters and phrases that it lacks. */
export type UnitVerdict = Verdict

/** Minimum score of the best result. Lower for dialogues, where many lines share the probability of an answer. */
const minBestScore = { notes: 0.25, dialogue: 0.1 }
/** Share of the threshold that the other results must reach: they complete a likely answer. */
const othersShare = 0.2

export function hasAnswer([best]: readonly RankedUnit[], minScore: number | null = null): boolean {
  return best !== undefined && best.score >= (minScore ?? minScoreOf(best))
}

export function minScoreOf(
  best: RankedUnit | undefined,
  thresholds: Omit<RecallThresholds, 'others'> = minBestScore,
): number {
  return best?.features.isDialogue === 1 ? thresholds.dialogue : thresholds.notes
}

export function thresholdOf(
  ranked: readonly RankedUnit[],
  limits: Pick<SelectionLimits, 'minScore' | 'recall'>,
): number {
  const { minScore, recall } = limits
  const minBest = minScore ?? minScoreOf(ranked[0], recall)
  return hasAnswer(ranked, minBest) ? (minScore ?? recall?.others ?? minBest * othersShare) : minBest
}

/** Number of units that do not fit, after which the rest is not read. */
const maxUnfitting = 8

/** Returns a verdict for each unit. @param ranked best first @param textOf called for units that may be returned */
export function selectResults(
  ranked: readonly RankedUnit[],
  limits: SelectionLimits,
  textOf: (unit: RankedUnit) => SelectableText,
): UnitVerdict[] {
  const threshold = thresholdOf(ranked, limits)
  const entries = new Map<string, number>()
  const texts = new Map<string, number>()
  let count = 0
  let characters = 0
  let unfitting = 0
  return ranked.map((unit): UnitVerdict => {
    if (unit.score < threshold) return { kind: 'weak' }
    if (unfitting >= maxUnfitting) return { kind: 'overLimit' }
    const { entry, text, lineLength } = textOf(unit)
    const twin = text === undefined ? undefined : texts.get(text)
    if (twin !== undefined) return { kind: 'duplicate', rank: twin }
    const joined = entries.get(entry)
    const isFitting = characters === 0 || characters + lineLength <= limits.maxCharacters
    if (!isFitting || (joined === undefined && count === limits.maxResults)) {
      unfitting += 1
      return { kind: 'overLimit' }
    }
    characters += lineLength
    if (joined !== undefined) return { kind: 'joined', rank: joined }
    count += 1
    entries.set(entry, count)
    if (text !== undefined) texts.set(text, count)
    return { kind: 'returned', rank: count }
  })
}
