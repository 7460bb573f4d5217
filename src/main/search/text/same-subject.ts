/**
 * Compares an older and a newer line: do they tell one fact, so that the newer one may replace the older? Similarity finds
 * such pairs but does not tell a change from two true facts. Contrasts and the first words of both lines do, and whether
 * the newer line tells of an event or a task.
 */
import { simplify } from '#shared/util/han.ts'
import { queryTerms, type QueryTerm } from '../query/parse-query.ts'
import { toPlainText } from './changed-fact.ts'
import { sidesIn } from './language/contrasts.ts'
import { hasAnyOf } from './language/words.ts'
import { fold } from './terms.ts'

const isTask =
  hasAnyOf(`^(?:call|ring|buy|pick|book|ask|order|return|renew|remember|remind|fetch|bring|write|send|get|pay|take|need|todo|collect|clean|cancel)\\b
  due deadline to_do ^下?周[一二三四五六日天] ^(?:记得|提醒|别忘) [要得](?:买|交|打|去|给) \\d{4}-\\d\\d-\\d\\d`)
/** A line about what happened once states no lasting fact. */
const isEvent =
  hasAnyOf(`^(?:[a-z][\\w'’-]+_(?:and_\\w+_)?|i_|we_|my_\\w+_)?(?:\\w{2,}ed|bought|sent|went|had|got|took|paid|came|made|gave|told|met|saw|found|lost|left|sold|slept|ran|ate|read|wrote|drove|rode|swam|fell|broke|rang|called|felt|heard|kept|brought|caught|held|stood|walked|sat|spent|woke|put|cut|let|shut|did)\\b(?!_at\\b)
  yesterday today tonight this_(?:morning|evening) last_night ago just 今天 昨天 刚才 今早 昨晚 了[一两三四五六七八九十半个只条次顿锅罐坛天张]
  ^\\p{Script=Han}{1,3}了`)
const isNegated = hasAnyOf(`not no never nobody without cannot can't stopped cancel\\w* broken off \\w+n't [不没未别]`)

export interface SubjectTerm extends QueryTerm {
  readonly folded: string
  readonly isHan: boolean
}

export interface SubjectLine {
  /** Without list mark and time. */
  readonly text: string
  readonly terms: readonly SubjectTerm[]
  /** Index terms of all words. */
  readonly readings: ReadonlySet<string>
  readonly folded: string
  readonly sides: ReturnType<typeof sidesIn>
  readonly isTask: boolean
  readonly isEvent: boolean
  readonly isNegated: boolean
}

export interface WordMeasures {
  /** Inverse document frequency. */
  idf(term: SubjectTerm): number
  cosine(one: string, other: string): number
}

const entryStart = /^\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?(?:\d{1,2}:\d\d\s+(?:[-–—]\s+)?)?/

export function subjectLineOf(text: string): SubjectLine {
  const plain = simplify(toPlainText(text.replace(entryStart, '')))
  const terms = subjectTerms(plain)
  return {
    text: plain,
    terms,
    readings: new Set(terms.flatMap(({ readings }) => readings.map(({ term }) => term))),
    folded: fold(plain),
    sides: sidesIn(plain),
    isTask: isTask(plain),
    isEvent: isEvent(plain),
    isNegated: isNegated(plain),
  }
}

export function subjectTerms(text: string): SubjectTerm[] {
  return queryTerms(text).flatMap(({ shown, role, readings }) =>
    role === 'function' ? [] : { shown, role, readings, folded: fold(shown), isHan: /\p{Script=Han}/u.test(shown) },
  )
}

/** Minimum cosine at which two words count as similar. */
const minSimilar = 0.3
/** Minimum similarity of a word that two lines share: a synonym, or another form. */
const minShared = 0.6
/** Similarity of a longer Chinese word of which the line has two letters in a row. */
const partSimilarity = 0.6

/** Returns 1 if a line has a word, else the cosine of its most similar word, if there is one. */
function similarityOf(term: SubjectTerm, line: SubjectLine, words: WordMeasures): number {
  const { shown, role, readings, folded, isHan } = term
  if (isHan ? line.folded.includes(folded) : readings.some((reading) => line.readings.has(reading.term))) return 1
  if (role === 'figure') return 0
  let best = 0
  for (const other of line.terms) if (other.role !== 'figure') best = Math.max(best, words.cosine(shown, other.shown))
  const pairs = isHan && folded.length > 2 ? Array.from(folded.slice(1), (letter, at) => folded[at] + letter) : []
  if (pairs.some((pair) => line.folded.includes(pair))) best = Math.max(best, partSimilarity)
  return best > minSimilar ? best : 0
}

const factors = { function: 0, filler: 0.5, content: 1, name: 1.6, figure: 0.6 } as const

function weightOf(term: SubjectTerm, { idf }: WordMeasures): number {
  return idf(term) * factors[term.role]
}

/** Returns the share of the terms that a line has, by their weight. */
export function coverageOf(terms: readonly SubjectTerm[], line: SubjectLine, words: WordMeasures): number {
  let [sum, total] = [0, 1e-9]
  for (const term of terms) {
    const weight = weightOf(term, words)
    total += weight
    sum += weight * similarityOf(term, line, words)
  }
  return sum / total
}

export interface PairProperties {
  /** 1 if the lines are about two sides of a contrast, such as two people. */
  readonly contrast: number
  readonly newTask: number
  readonly newEvent: number
  /** 1 if one of the lines is negated. */
  readonly negation: number
  /** Similarity of the first two words of a line to the other line. */
  readonly oldHead: number
  readonly newHead: number
}

/** Returns true if both lines have a word that tells their subject. */
export function shareWord(old: SubjectLine, newer: SubjectLine, words: WordMeasures): boolean {
  return old.terms.some(
    (term) => term.role !== 'filler' && term.role !== 'figure' && similarityOf(term, newer, words) >= minShared,
  )
}

export function pairPropertiesOf(old: SubjectLine, newer: SubjectLine, words: WordMeasures): PairProperties {
  const headOf = (line: SubjectLine, other: SubjectLine) => {
    const head = line.terms.filter(({ role }) => role !== 'figure' && role !== 'filler').slice(0, 2)
    return head.reduce((sum, term) => sum + similarityOf(term, other, words), 0) / Math.max(1, head.length)
  }
  const isContrast = old.sides.some((sides, at) => {
    const others = newer.sides[at] ?? new Set()
    return sides.size > 0 && others.size > 0 && sides.isDisjointFrom(others)
  })
  return {
    contrast: Number(isContrast),
    newTask: Number(newer.isTask),
    newEvent: Number(newer.isEvent),
    negation: Number(old.isNegated !== newer.isNegated),
    oldHead: headOf(old, newer),
    newHead: headOf(newer, old),
  }
}
