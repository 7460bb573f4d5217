import { withHeading } from '#shared/util/format-result.ts'
import { cached } from '#shared/util/lazy.ts'
import { dot, idfOf } from '#search'
import { areRepeated, fold, pairPropertiesOf, probabilityOf, subjectLineOf } from '#search/text'
import type { Statement } from '../rules/note-rules.ts'
import type { TextVectors } from './line-features.ts'

/**
 * A logistic regression, fitted on saved notes that change a fact and on others (`test/recall/changes-en`, `changes-zh`).
 * The weight of `smallness` is chosen by hand, so that most pairs of true facts are not offered in a memory of a few lines.
 */
const constant = -8.94
const weights = {
  shared: 1.61,
  changed: 2.74,
  closest: 4.79,
  sameKind: 0.38,
  contrast: -0.6,
  newTask: -1.68,
  oldEvent: -1.62,
  oldChange: -1.88,
  /** Reciprocal rank of the older line among those by cosine with the saved one. */
  nearness: 2.14,
  /** Reciprocal rank of the saved line among those by cosine with the older one. */
  savedNearness: 1.62,
  /** In (0, 1], less in a larger memory. */
  smallness: 3.5,
}
/** Minimum probability of an offer, and of further lines, as a share of the first one's. */
const minProbability = 0.47
const minShare = 0.4
const maxOffered = 3
/** Number of lines by cosine that are compared in full. */
const maxCompared = 12
/** Longer texts tell more than one fact. UTF-16 code units. */
const maxLength = 240
/** In a memory with so many lines, a rank counts half. */
const fewLines = 3

/** Returns lines whose fact a saved line may change, the most likely one first. Without a model, none. */
export async function findReplaced(
  saved: Statement,
  others: readonly Statement[],
  model: TextVectors | undefined,
): Promise<Statement[]> {
  const newer = subjectLineOf(saved.text)
  if (!model || others.length === 0 || saved.text.length > maxLength) return []
  const texts = others.map(({ text, headings }) => withHeading(text, headings.join(' › ')))
  const [own = new Float32Array(), ...vectors] = await model.vectors([saved.text, ...texts])
  const lines = others.map((statement, at) => {
    const [text = '', vector = new Float32Array()] = [texts[at], vectors[at]]
    return { statement, text, vector, cosine: vector.length === own.length ? dot(own, vector) : 0 }
  })
  const nearest = lines
    .toSorted((one, other) => other.cosine - one.cosine)
    .slice(0, maxCompared)
    .map((line) => ({ ...line, subject: subjectLineOf(line.text) }))
  const trust = others.length / (others.length + fewLines)
  const folded = texts.map(fold)
  const countOf = cached((word: string) => folded.filter((text) => text.includes(word)).length)
  const idfOfWord = (term: { readonly folded: string }) => idfOf(countOf(term.folded), { units: others.length })
  const found = nearest.flatMap(({ statement, subject, vector, cosine }, near) => {
    if (areRepeated(subject, newer) || statement.text.length > maxLength) return []
    const isNearer = (other: (typeof lines)[number]) =>
      other.vector !== vector && other.vector.length === vector.length && dot(other.vector, vector) > cosine
    const probability = probabilityOf<typeof weights>(constant, weights, {
      ...pairPropertiesOf(subject, newer, { idf: idfOfWord, cosine: model.wordCosine }),
      nearness: trust / (1 + near),
      savedNearness: trust / (1 + lines.filter(isNearer).length),
      smallness: 1 - trust,
    })
    return { statement, probability }
  })
  const [best, ...further] = found.sort((one, other) => other.probability - one.probability)
  if (!best || best.probability < minProbability) return []
  const likely = further.filter(({ probability }) => probability >= best.probability * minShare)
  return [best, ...likely].slice(0, maxOffered).map(({ statement }) => statement)
}
