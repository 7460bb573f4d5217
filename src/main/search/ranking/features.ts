/**
 * Computes the features of candidate units: numbers that say how a unit, its neighbours and its section fit a query.
 * The ranking model weighs them. The features follow the literature on passage retrieval: BM25 with neighbouring and
 * section context, coverage of the query, and cosines of embeddings.
 */
import type { UnitTable } from '../units/unit-reader.ts'
import { capitalizedIn, unitFlags } from '../units/unit-schema.ts'
import { isUser, type QueryWord, type QueryWords } from './query-words.ts'
import { codePattern } from '../text/terms.ts'

export const featureGroups = {
  ownWords: ['ownWords', 'coverage', 'noWords', 'kind'],
  nearbyWords: ['previousWords', 'secondPreviousWords', 'coverageOfThree', 'coverageOfSeven'],
  section: ['sectionRank', 'sectionWords', 'headingWords'],
  meaning: [
    'cosine',
    'windowCosine',
    'previousCosine',
    'sectionCosine',
    'questionCosine',
    'similarity',
    'windowSimilarity',
    'sectionSimilarity',
  ],
  form: [
    'namedSpeaker',
    'otherSpeaker',
    'isUser',
    'isQuestion',
    'followsQuestion',
    'questionWords',
    'time',
    'number',
    'capitalized',
    'fittingName',
    'length',
    'isFirstPerson',
  ],
  /** The same for all candidates of a query, except `isDialogue`. */
  query: ['unknownName', 'unknownWords', 'logUnits', 'isDialogue', 'namesSpeaker'],
} as const

export type FeatureGroup = keyof typeof featureGroups
export type FeatureName = (typeof featureGroups)[FeatureGroup][number]
export type Features = Readonly<Record<FeatureName, number>>

export const noFeatures = Object.fromEntries(
  Object.values(featureGroups).flatMap((names) => names.map((name) => [name, 0])),
) as Features

export interface UnitSimilarity {
  readonly nearest: readonly number[]
  /** Returns the cosine, standardized over the units to the scale of the built-in model. */
  cosine(id: number): number
  /** Returns a similarity that also counts word pairs, on the scale of the cosine; the cosine if the model has none. */
  similarity(id: number): number
}

export interface CandidateUnit {
  readonly id: number
  readonly features: Features
  readonly bm25: number
  readonly wordScores: readonly number[]
}

const maxByWords = 110
const maxByMeaning = 50
const maxCompared = 2000
/** Number of units with query words that the first pass scores in full, with their neighbours. */
const maxSeeds = 120
const neighbourDistance = 3
/** Factor on the context of a note: its neighbours are about other things more often than the turns of a dialogue. */
const noteContext = 0.7
/** Factor of a heading's word that a unit before has too. */
const repeatedHeading = 0.5
/** Minimum share of the query's words in a line that settles what another line leaves open. */
const minSettled = 0.3
/** Value of the line that leaves it open, relative to the one that settles it. */
const openFactor = -3
/** Factors in the scores that choose the candidates: of a section, and of a word in a heading or a neighbour. */
const sectionFactor = 0.15
const contextFactor = 0.3
/** For a word in at least this many units, units that have it only in a heading are not scored. */
const maxHeadDocuments = 200
/** Number of terms up to which a unit is short, and the weight of a word in its heading, relative to one in its text. */
const maxShortLength = 6
const headMatch = 0.9
/** BM25 parameters: saturation and length normalization. */
const k1 = 1.2
const b = 0.4

/**
 * Returns the candidates of a query with their features, at most 160.
 * @param only the units that can be candidates; undefined for all
 * @param also further units; they do not change the features of the others
 * @returns matched: number of units with a query word, in their text or in headings, or among the nearest in meaning
 */
export function collectCandidates(
  query: string,
  queryWords: QueryWords,
  table: UnitTable,
  similarity: UnitSimilarity | undefined,
  only?: ReadonlySet<number>,
  also: readonly number[] = [],
) {
  const computer = new FeatureComputer(query, queryWords, table, similarity)
  const { ids, matched } = computer.candidates(only)
  const candidates = Array.from(new Set([...ids, ...also]), (id): CandidateUnit => {
    const wordScores = computer.wordScores(id)
    return { id, features: computer.compute(id), bm25: wordScores.reduce((sum, value) => sum + value, 0), wordScores }
  })
  return { candidates, matched }
}

class FeatureComputer {
  readonly #query: QueryWords
  readonly #table: UnitTable
  readonly #similarity: UnitSimilarity | undefined
  readonly #question: string
  /** Units that leave open what the query asks for and another unit settles. */
  readonly #openUnits: ReadonlySet<number>
  readonly #totalWeight: number
  readonly #sectionScores = new Map<number, number>()
  #maxSectionScore = 0
  #sectionTotal = 0
  readonly #queryFeatures: ReturnType<FeatureComputer['computeQueryFeatures']>
  readonly #sectionCosines = new Map<number, { cosine: number; similarity: number }>()

  constructor(query: string, queryWords: QueryWords, table: UnitTable, similarity: UnitSimilarity | undefined) {
    this.#query = queryWords
    this.#table = table
    this.#similarity = similarity
    this.#question = query.toLowerCase()
    this.#totalWeight = queryWords.list.reduce((sum, { weight }) => sum + weight, 0) || 1
    const isSettling = (id: number) => this.#coverage([id]) + this.#headingShare(id) >= minSettled
    this.#openUnits = queryWords.kindUnits.values().some(isSettling) ? queryWords.openUnits : new Set()
    this.#scoreSections()
    this.#queryFeatures = this.computeQueryFeatures()
  }

  candidates(only?: ReadonlySet<number>) {
    const isOpen = (id: number) => this.#table.has(id) && (only?.has(id) ?? true)
    const scores = this.#unitsWithWords(only)
    const distances = Array.from({ length: 2 * neighbourDistance + 1 }, (_, at) => at - neighbourDistance)
    const around = this.#seeds(scores).flatMap((id) =>
      distances.map((distance) => this.#table.sectionNeighbour(id, distance)),
    )
    const scored = Array.from(new Set(around.filter(isOpen)), (id) => ({ id, score: this.#firstScore(id) }))
    scored.sort((one, other) => other.score - one.score || one.id - other.id)
    const ids = new Set(scored.slice(0, maxByWords).map(({ id }) => id))
    const nearest = this.#nearest(only).filter(isOpen)
    const matched = scores.size + nearest.filter((id) => !scores.has(id)).length
    for (const id of nearest) ids.add(id)
    for (const id of ids) this.#noteSectionCosine(id)
    return { ids: [...ids], matched }
  }

  #nearest(only: ReadonlySet<number> | undefined): readonly number[] {
    const model = this.#similarity
    if (!model) return []
    if (!only || only.size > maxCompared) return model.nearest
    return [...only].sort((one, other) => model.cosine(other) - model.cosine(one)).slice(0, maxByMeaning)
  }

  wordScores(id: number): number[] {
    return this.#query.list.map((_, word) => this.#wordScore(id, word))
  }

  compute(id: number): Features {
    const table = this.#table
    const near = (distance: number) => table.sectionNeighbour(id, distance)
    const { flags, label, length } = table.get(id)
    const has = (flag: number) => (flags & flag) !== 0
    const followsQuestion = (table.get(near(-1)).flags & unitFlags.asks) !== 0
    const context = label === '' && this.#similarity ? noteContext : 1
    const previousWords = context * this.#extraWords(id, near(-1))
    const sectionScore = context * this.#sectionScoreOf(id)
    const namesSpeaker = this.#query.speakers.size > 0 && label !== ''
    const isNamed = namesSpeaker && this.#query.speakers.has(label)
    const capitalized = capitalizedIn(flags) / 3
    const coverage = this.#coverage([id])
    const coverageOfThree = this.#coverage([id, near(-1), near(1)])
    const coverageOfSeven = this.#coverage([id, near(-3), near(-2), near(-1), near(1), near(2), near(3)])
    const headingWords = this.#headingShare(id)
    const kindFactor = this.#query.kindUnits.has(id) ? 1 : this.#openUnits.has(id) ? openFactor : 0
    return {
      ownWords: this.wordScores(id).reduce((sum, value) => sum + value, 0) / this.#totalWeight,
      coverage,
      noWords: Number(coverageOfSeven === 0 && headingWords === 0),
      // Above 0 for a line of the asked kind, such as a decision; below 0 for one that leaves the matter open.
      kind: kindFactor * Math.min(1, coverageOfThree + headingWords),
      previousWords,
      secondPreviousWords: context * this.#extraWords(id, near(-2)),
      coverageOfThree,
      coverageOfSeven,
      sectionRank: this.#maxSectionScore > 0 ? sectionScore / this.#maxSectionScore : 0,
      sectionWords: this.#sectionTotal > 0 ? sectionScore / this.#sectionTotal / 2 : 0,
      headingWords,
      ...this.#meaning(id, followsQuestion),
      namedSpeaker: Number(isNamed),
      otherSpeaker: Number(namesSpeaker && !isNamed),
      isUser: Number(isUser(label)),
      isQuestion: Number(has(unitFlags.asks)),
      followsQuestion: Number(followsQuestion),
      questionWords: followsQuestion ? previousWords : 0,
      time: Number(has(unitFlags.hasTime) && asked.time.test(this.#question)),
      number: Number(has(unitFlags.hasNumber) && asked.number.test(this.#question)),
      capitalized,
      fittingName: asked.name.test(this.#question) ? capitalized : 0,
      length: Math.min(length, 30) / 30,
      isFirstPerson: Number(has(unitFlags.isFirstPerson)),
      ...this.#queryFeatures,
      isDialogue: Number(label !== ''),
    }
  }

  #unitsWithWords(only: ReadonlySet<number> | undefined): Map<number, number> {
    const scores = new Map<number, number>()
    for (const [at, { units, headUnits, weight, documents }] of this.#query.list.entries()) {
      for (const id of units.keys()) scores.set(id, (scores.get(id) ?? 0) + this.#wordScore(id, at))
      if (documents >= maxHeadDocuments) continue
      for (const id of headUnits) scores.set(id, (scores.get(id) ?? 0) + contextFactor * weight)
    }
    if (only) for (const id of scores.keys()) if (!only.has(id)) scores.delete(id)
    return scores
  }

  #seeds(scores: ReadonlyMap<number, number>): number[] {
    if (scores.size <= maxSeeds) return [...scores.keys()]
    return Array.from(scores, ([id, score]) => [id, score + sectionFactor * this.#sectionScoreOf(id)] as const)
      .sort((one, other) => other[1] - one[1] || one[0] - other[0])
      .slice(0, maxSeeds)
      .map(([id]) => id)
  }

  /** Returns a rough score of a unit, its neighbours, headings and section, which selects the candidates. */
  #firstScore(id: number): number {
    let score = sectionFactor * this.#sectionScoreOf(id)
    const neighbours = [-2, -1, 1, 2].map((distance) => this.#table.sectionNeighbour(id, distance))
    for (const [at, word] of this.#query.list.entries()) {
      if (this.#matchOf(word, id) !== undefined) score += this.#wordScore(id, at)
      else {
        const near = Math.max(...neighbours.map((other) => word.units.get(other) ?? 0))
        score += contextFactor * word.weight * (near + Number(word.headUnits.has(id)))
      }
    }
    return score
  }

  #sectionScoreOf(id: number): number {
    return this.#sectionScores.get(this.#table.get(id).section) ?? 0
  }

  /** A short unit is read with its heading: "555 1234" below "Plumber". */
  #matchOf({ units, headUnits }: QueryWord, id: number): number | undefined {
    const own = units.get(id)
    if (own !== undefined || !headUnits.has(id)) return own
    return this.#table.get(id).length <= maxShortLength ? headMatch : undefined
  }

  /** BM25 of one query word; a word counts once per unit, because units are short. */
  #wordScore(id: number, at: number): number {
    const word = this.#query.list[at]
    const match = word && this.#matchOf(word, id)
    if (!word || match === undefined) return 0
    const norm = 1 - b + (b * this.#table.get(id).length) / this.#table.meanLength
    return (word.weight * match * (k1 + 1)) / (1 + k1 * norm)
  }

  #extraWords(id: number, neighbour: number): number {
    if (neighbour === 0) return 0
    let sum = 0
    for (let at = 0; at < this.#query.list.length; at += 1)
      sum += Math.max(0, this.#wordScore(neighbour, at) - this.#wordScore(id, at))
    return sum / this.#totalWeight
  }

  #coverage(ids: readonly number[]): number {
    let sum = 0
    for (const word of this.#query.list) {
      let match = 0
      for (const id of ids) match = Math.max(match, this.#matchOf(word, id) ?? 0)
      sum += word.weight * match
    }
    return sum / this.#totalWeight
  }

  /** A word that a unit before has in its text counts less: the child of a list item repeats its parent's words. */
  #headingShare(id: number): number {
    const before = [-1, -2, -3].map((distance) => this.#table.sectionNeighbour(id, distance))
    let sum = 0
    for (const { units, headUnits, weight } of this.#query.list) {
      if (!headUnits.has(id) || units.has(id)) continue
      sum += weight * (before.some((other) => units.has(other)) ? repeatedHeading : 1)
    }
    return sum / this.#totalWeight
  }

  /** Scores sections as BM25 would score them as documents, over the sections that have a query word. */
  #scoreSections(): void {
    const table = this.#table
    for (const { units, weight, idf } of this.#query.list) {
      const counts = new Map<number, number>()
      for (const [id, match] of units) {
        const section = table.get(id).section
        counts.set(section, (counts.get(section) ?? 0) + match)
      }
      const sectionIdf = Math.log(1 + (table.sections - counts.size + 0.5) / (counts.size + 0.5))
      const roleFactor = weight / idf
      this.#sectionTotal += sectionIdf * roleFactor
      for (const [section, count] of counts) {
        const norm = 1 - b + (b * table.sectionLength(section)) / table.meanSectionLength
        const score = (sectionIdf * roleFactor * count * (k1 + 1)) / (count + k1 * norm)
        this.#sectionScores.set(section, (this.#sectionScores.get(section) ?? 0) + score)
      }
    }
    for (const score of this.#sectionScores.values()) this.#maxSectionScore = Math.max(this.#maxSectionScore, score)
  }

  #noteSectionCosine(id: number): void {
    if (!this.#similarity) return
    const section = this.#table.get(id).section
    const best = this.#sectionCosines.get(section) ?? { cosine: -1, similarity: -1 }
    best.cosine = Math.max(best.cosine, this.#similarity.cosine(id))
    best.similarity = Math.max(best.similarity, this.#similarity.similarity(id))
    this.#sectionCosines.set(section, best)
  }

  #meaning(id: number, followsQuestion: boolean): Pick<Features, (typeof featureGroups.meaning)[number]> {
    const model = this.#similarity
    const table = this.#table
    const cosineAt = (distance: number) => {
      const other = table.neighbour(id, distance)
      return model && other !== 0 ? model.cosine(other) : 0
    }
    const similarityAt = (distance: number) => {
      const other = table.sectionNeighbour(id, distance)
      return model && other !== 0 ? model.similarity(other) : 0
    }
    const section = this.#sectionCosines.get(table.get(id).section)
    const [cosine, previousCosine] = [cosineAt(0), cosineAt(-1)]
    return {
      cosine,
      windowCosine: (cosine + previousCosine + cosineAt(1) + (cosineAt(-2) + cosineAt(2)) / 2) / 4,
      previousCosine,
      sectionCosine: section?.cosine ?? 0,
      questionCosine: followsQuestion ? previousCosine : 0,
      similarity: similarityAt(0),
      windowSimilarity: (similarityAt(0) + similarityAt(-1) + similarityAt(1)) / 3,
      sectionSimilarity: section?.similarity ?? 0,
    }
  }

  computeQueryFeatures() {
    const { list: words, speakers } = this.#query
    const hasUnknownName = words.some(
      ({ role, shown, documents, matches }) =>
        role === 'name' &&
        (documents === 0 || !codePattern.test(shown)) &&
        !matches.some(({ kind, units, headUnits }) => kind === 'exact' && units.length + headUnits.length > 0),
    )
    const unknownWeight = words.reduce((sum, { documents, weight }) => sum + (documents === 0 ? weight : 0), 0)
    return {
      unknownName: Number(hasUnknownName && speakers.size === 0),
      unknownWords: unknownWeight / this.#totalWeight,
      logUnits: Math.log10(Math.max(1, this.#table.units)),
      namesSpeaker: Number(speakers.size > 0),
    }
  }
}

const asked = {
  /** The time, a number, or the name of a person, a place or a thing. */
  time: /\bwhen\b|what (?:date|day|month|year|time)|how long|什么时候|几[月号点日]|哪[天年月]|何时|多久|いつ|何[時日月年]|언제/,
  number: /how (?:many|much|often|old|big|long|far|tall)|多少|几[个次岁块]|いくつ|いくら|何[人回個円歳]|몇|얼마/,
  name: /\b(?:who|whose|whom|where|which|name)\b|谁|哪里|哪儿|哪个|叫什么|誰|どこ|누구|어디/,
}
