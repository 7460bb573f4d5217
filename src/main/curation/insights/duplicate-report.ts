/** Lines of a memory that say the same: nearly word for word, and in other words. */
import type { Survey, SurveyedLine } from '#shared/contract/index.ts'
import { likenessBy } from '../similarity/similarity-model.ts'
import { nearDuplicates } from '../similarity/near-duplicates.ts'
import { saidOf, twinsAmong, type Line } from '../similarity/paraphrase-duplicates.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { withoutMarks } from '../similarity/line-features.ts'

const maxGroups = 200
const maxOfGroup = 12
/** Of more, pairs that share a word are too many to be compared while somebody waits. */
const maxCompared = 20_000

interface Place extends Line {
  readonly place: SurveyedLine
  readonly at: number
}

/** @param builtinFile of the model; where it is missing, by words alone */
export async function duplicatesAmong(
  all: readonly SurveyedLine[],
  builtinFile: string,
): Promise<Survey['duplicates']> {
  const groups = nearDuplicates(all.map(({ text }) => text))
  const known = new Set(groups.flatMap(({ lines }) => lines.slice(1)))
  const inOtherWords = all.length > maxCompared ? [] : await meantAlike(all, known, builtinFile)
  return [
    ...groups.map(({ similarity, lines }) => ({
      similarity,
      count: lines.length,
      isInOtherWords: false,
      lines: lines.slice(0, maxOfGroup).flatMap((at) => all[at] ?? []),
    })),
    ...inOtherWords,
  ].slice(0, maxGroups)
}

/** @param known lines that are told with others already */
async function meantAlike(
  all: readonly SurveyedLine[],
  known: ReadonlySet<number>,
  builtinFile: string,
): Promise<Survey['duplicates']> {
  const likeness = await likenessBy(builtinFile)
  if (!likeness) return []
  const texts = all.map(({ text }) => withoutMarks(withoutLead(text)))
  const said = saidOf(texts)
  const lines = all.flatMap((place, at): Place | [] => {
    const own = said[at]
    return own && !known.has(at) ? { place, at, text: texts[at] ?? '', said: own } : []
  })
  const twins = await twinsAmong(lines, likeness, { better: (one, other) => one.at - other.at, mayGo: () => true })
  return twins
    .map(({ kept, other, likeness: similarity }) => ({
      similarity,
      count: 2,
      isInOtherWords: true,
      lines: [kept.place, other.place],
    }))
    .sort((one, other) => other.similarity - one.similarity)
}
