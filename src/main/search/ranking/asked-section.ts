import { queryTerms, type QueryTerm } from '../query/parse-query.ts'
import { hasAnyOf } from '../text/language/words.ts'
import { fold } from '../text/terms.ts'
import { headingSeparator } from '../units/unit.ts'
import type { QueryWords } from './query-words.ts'
import { withLogits, type RankedUnit } from './rank.ts'

const asksHow = hasAnyOf(`how_(?:do|does|did|can|could|should|to) recipe steps instructions 怎么 怎样 如何 步骤 做法`)
/** A longer section is no recipe. Number of units. */
const maxUnits = 20
/** A word in the headings of more units is the title of many sections, such as "Notes". */
const maxHeadUnits = 2 * maxUnits

/**
 * Returns the units of the section that answers a question how to do something, in the order of the note: those below
 * "## Shakshuka" for "how do I make shakshuka", also below its "### Steps". None if no title is in the question.
 * @param headingOf with all titles, outermost first @param sectionOf returns the units of a unit's note below a heading
 */
export function askedSection(
  query: string,
  { list }: QueryWords,
  headingOf: (id: number) => string,
  sectionOf: (id: number, heading: string) => readonly number[],
): readonly number[] {
  if (!asksHow(query)) return []
  const folded = fold(query)
  const asked = new Set(queryTerms(query).flatMap(({ readings }) => readings.map(({ term }) => term)))
  const isAsked = ({ shown, readings }: QueryTerm) =>
    /\p{Script=Han}/u.test(shown) ? folded.includes(fold(shown)) : readings.some(({ term }) => asked.has(term))
  const isTitleAsked = (title: string | undefined) => {
    const terms = queryTerms(title ?? '').filter(({ role }) => role !== 'function')
    return terms.length > 0 && terms.every(isAsked)
  }
  const ids = new Set(list.flatMap(({ headUnits }) => (headUnits.size > maxHeadUnits ? [] : [...headUnits])))
  for (const id of ids) {
    const titles = headingOf(id).split(headingSeparator)
    const depth = [titles.length, titles.length - 1].find((length) => isTitleAsked(titles[length - 1]))
    const units = depth === undefined ? [] : sectionOf(id, titles.slice(0, depth).join(headingSeparator))
    if (units.length > 1 && units.length <= maxUnits) return units
  }
  return []
}

/** Difference of the logits of two lines of a section. */
const step = 0.0001
/** Minimum logit of a section that a question names. */
const minLogit = 1

export function placeSection(ranked: readonly RankedUnit[], section: readonly number[]): RankedUnit[] {
  const top = Math.max(ranked[0]?.logit ?? 0, minLogit) + step * section.length
  return withLogits(ranked, new Map(section.map((id, at) => [id, top - step * at])), 'section')
}
