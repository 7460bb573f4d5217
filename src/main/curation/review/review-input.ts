import {
  loadSimilarityModel,
  type TextVectors,
  featuresOf,
  linesByWord,
  type LineFeatures,
} from '../similarity/line-features.ts'
import { formatDay, toPlainText } from '#search/text'
import { sectionsOf, type Section } from '#shared/markdown/sections.ts'
import { statementsOf, type Note } from '../rules/note-rules.ts'
import { dot } from '#search'

export type ReviewInput = Awaited<ReturnType<typeof reviewInputOf>>
export type ReviewLine = ReviewInput['lines'][number]

/** The maximum number of pairs is `pairsPerLine` times the number of lines, but at least `minPairLimit`. */
const pairsPerLine = 0.8
const minPairLimit = 200
/** UTF-16 code units; longer lines are paragraphs, not single facts. */
const maxLineLength = 600

/** `pairs`, best score first, `logLines`, newest first, and `memoryLines` are indexes into `lines`. */
export async function reviewInputOf(notes: readonly Note[], modelPath: string) {
  const statements = notes
    .filter(({ kind }) => kind !== 'project')
    .flatMap(statementsOf)
    .filter(({ raw }) => raw.length <= maxLineLength && raw.isWellFormed())
  const maxPairs = Math.max(minPairLimit, Math.round(statements.length * pairsPerLine))
  const pairs = await findContradictionCandidates(
    statements.map(({ text }) => text),
    await loadSimilarityModel(modelPath),
    maxPairs,
  )
  const indexesOf = (kind: Note['kind']) => statements.flatMap(({ note }, index) => (note.kind === kind ? [index] : []))
  const dayNumberOf = (index: number) => statements[index]?.note.day ?? 0
  const memory = notes.find(({ kind }) => kind === 'memory')
  return {
    lines: statements.map(({ note: { path, day }, line, raw, text, headings }) => {
      return { path, line, raw, text, day: day === undefined ? undefined : formatDay(day), heading: headings.at(-1) }
    }),
    pairs: pairs.map(({ one, other }) => [one, other] as const),
    logLines: indexesOf('log').sort((one, other) => dayNumberOf(other) - dayNumberOf(one) || one - other),
    memoryLines: indexesOf('memory'),
    memorySectionTitles: memory ? memorySections(memory.text).map(({ title }) => title) : [],
  }
}

/** Returns the titled sections of level 2, or those of level 1 if there are none. */
export function memorySections(text: string): Section[] {
  const sections = sectionsOf(text.split('\n')).filter(({ title }) => title !== '')
  const level2 = sections.filter(({ level }) => level === 2)
  return level2.length > 0 ? level2 : sections.filter(({ level }) => level === 1)
}

/** Words that occur in more lines than this are ignored, because they are not specific to a topic. */
const maxLinesPerWord = 400
/** Limits per line: candidates for the vector comparison, and resulting pairs. */
const maxCompared = 12
const maxPairsPerLine = 3
/** Pairs with a lower score share little more than a word. */
const minScore = 0.42
const minWords = 2
/** Weight of a word that one line lacks. Contradicting values are usually rare words, so rarity does not add to it. */
const unsharedWeight = 2.2
/** Share of the word similarity in the score, 0 to 1; the rest is the similarity of the vectors. */
const wordWeight = 0.65

/**
 * Finds pairs that may contradict each other: similar in rare words and meaning, with a difference on both sides.
 * @param model undefined compares words only
 * @returns at most `limit` pairs of indexes into the texts, best score first; `one` is the smaller index
 */
async function findContradictionCandidates(texts: readonly string[], model: TextVectors | undefined, limit: number) {
  const features = featuresOf(texts)
  const byWord = linesByWord(features.map(({ words }) => words.keys()))
  const vectors = await model?.vectors(texts.map(toPlainText))
  const pairs = new Map<string, { readonly one: number; readonly other: number; readonly score: number }>()
  for (const [index, { words: wordMap, isNegated }] of features.entries()) {
    if (wordMap.size < minWords) continue
    const words = new Set(wordMap.keys())
    const candidates = linesSharingWords(index, features, byWord)
      .flatMap(([candidate, shared]) => {
        const other = features[candidate]
        if (!other || other.words.size < minWords) return []
        // Each line must have a word that the other lacks, or only one is negated.
        const isCovered = words.isSubsetOf(other.words) || words.isSupersetOf(other.words)
        if (isCovered && isNegated === other.isNegated) return []
        return { candidate, shared, unshared: unsharedWeight * words.symmetricDifference(other.words).size }
      })
      .slice(0, maxCompared)
      .map(({ candidate, shared, unshared }) => {
        const [a, b] = [vectors?.[index], vectors?.[candidate]]
        const wordSimilarity = shared / (shared + unshared)
        const hasVectors = a && b && a.length === b.length && a.length > 0
        const vectorSimilarity = hasVectors ? Math.max(0, dot(a, b)) : wordSimilarity
        return { candidate, score: wordWeight * wordSimilarity + (1 - wordWeight) * vectorSimilarity }
      })
      .filter(({ score }) => score >= minScore)
      .sort((one, other) => other.score - one.score)
    for (const { candidate, score } of candidates.slice(0, maxPairsPerLine)) {
      const [one, other] = [Math.min(index, candidate), Math.max(index, candidate)]
      pairs.set(`${one} ${other}`, { one, other, score })
    }
  }
  return [...pairs.values()].sort((a, b) => b.score - a.score || a.one - b.one || a.other - b.other).slice(0, limit)
}

function linesSharingWords(
  index: number,
  features: readonly LineFeatures[],
  byWord: ReadonlyMap<string, readonly number[]>,
): [number, number][] {
  const sharedWeights = new Map<number, number>()
  for (const word of features[index]?.words.keys() ?? []) {
    const indexes = byWord.get(word) ?? []
    if (indexes.length > maxLinesPerWord) continue
    const weight = Math.log(1 + features.length / indexes.length)
    for (const other of indexes) if (other !== index) sharedWeights.set(other, (sharedWeights.get(other) ?? 0) + weight)
  }
  return [...sharedWeights].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, 4 * maxCompared)
}
