/**
 * Finds the words of a query in the index. A word that no note has is replaced by words that it may stand for: a
 * longer word, another spelling, its parts. Related words and other forms of the word also match, with a lower weight.
 */
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { indexTermsOf, searchTerms, type SearchTerm } from '../query/parse-query.ts'
import type { SoundIndex } from '../text/cjk-sounds.ts'
import { attachedTo, haveSameStem, withAttached } from '../text/foreign-stems.ts'
import { areDerived, stem } from '../text/stem.ts'
import { roleOfCjk, roleOfStem, type WordRole } from '../text/stop-words.ts'
import { openTermOf } from '../text/line-kinds.ts'
import { isTechnicalTerm, relatedTerms } from '../text/related-terms.ts'
import { codePattern, fold } from '../text/terms.ts'

/** Words of the searched units. Implementations exclude units that the reader must not see. */
export interface Lexicon {
  readonly units: number
  unitsWith(term: string): readonly number[]
  /** Returns the ids of the units whose headings, context or note name have the term. */
  unitsUnder(term: string): readonly number[]
  wordsFrom(prefix: string): readonly (readonly [word: string, term: string])[]
  /** @param tolerance maximum difference to the length */
  wordsOfLength(length: number, tolerance: number): readonly (readonly [word: string, term: string])[]
  readonly sounds: Pick<SoundIndex, 'alternatives'>
  readonly labels: readonly string[]
}

export interface WordRelations {
  related(word: string): readonly { readonly word: string; readonly cosine: number }[]
  cosine(one: string, other: string): number
  /** The rarity of a word in its language: the length of its vector. Absent without a model of words. */
  readonly rarity?: ((word: string) => number) | undefined
  readonly knows?: ((word: string) => boolean) | undefined
}

/** Stands for the cosine of words of the tables, which models do not know. */
const tableCosine = 0.95

export function wordRelations(provider: EmbeddingProvider | undefined): WordRelations {
  return {
    related: (word) => [
      ...relatedTerms(word).map((other) => ({ word: other, cosine: tableCosine })),
      ...(provider?.related?.(word) ?? []),
    ],
    cosine: (one, other) => provider?.words?.cosine(one, other) ?? 0,
    rarity: provider?.words?.rarity,
    knows: provider?.words?.knows,
  }
}

export type MatchKind = 'exact' | 'derived' | 'prefix' | 'spelling' | 'compound' | 'piece' | 'sound' | 'related'

export interface WordMatch {
  readonly kind: MatchKind
  readonly word?: string
  /** In (0, 1]: the weight of an occurrence, relative to the query word. */
  readonly weight: number
  /** Terms of the index, all of which a unit has. */
  readonly terms: readonly string[]
  readonly units: readonly number[]
  readonly headUnits: readonly number[]
}

export type QueryWord = ReturnType<WordFinder['find']>

export type QueryWords = ReturnType<typeof findQueryWords>

/** Factor on the IDF, by role: names decide, fillers hardly matter. Chosen by hand on the evaluation queries. */
const knownFactor: Readonly<Record<WordRole, number>> = { function: 1, filler: 0.5, content: 1, name: 1.6, figure: 1.2 }
/** The same for words that no unit has: an unknown name is strong evidence that the memory has no answer. */
const unknownFactor: Readonly<Record<WordRole, number>> = {
  function: 1,
  filler: 0.35,
  content: 0.7,
  name: 2,
  figure: 0.6,
}
/** Factor of a word that asks for a kind of lines, if a unit is of that kind. Such a word is no topic. */
const kindFactor = 0.2
/** Factor of a single CJK character, which occurs in many words. */
const singleCharacter = 0.6
/** Smaller collections count as this many units: in them, the IDF says little about how telling a word is. */
const minUnits = 600

/** Returns the inverse document frequency of a word, as BM25 has it. @param documents number of units with the word */
export function idfOf(documents: number, { units }: Pick<Lexicon, 'units'>): number {
  return Math.log(1 + (Math.max(units, minUnits) - documents + 0.5) / (documents + 0.5))
}

export function findQueryWords(query: string, lexicon: Lexicon, relations: WordRelations) {
  // English function words such as he and she may be pinyin.
  const terms = searchTerms(query).filter(({ role, shown }) => role !== 'function' || /^[a-z]+$/.test(shown))
  /** Labels of the speakers that the query names. */
  const speakers = new Set<string>()
  const words: QueryWord[] = []
  const names: QueryWord[] = []
  const people = lexicon.labels.filter((label) => !assistant.test(label) && !user.test(label)).map(partsOf)
  for (const [at, term] of terms.entries()) {
    if (term.role === 'function') continue
    const word = new WordFinder(term, [terms[at - 1]?.shown, terms[at + 1]?.shown], lexicon, relations).find()
    const named = people.filter((person) => isPartOf(term, person))
    for (const { label } of named) speakers.add(label)
    ;(named.length > 0 ? names : words).push(word)
  }
  const kinds = terms.flatMap(({ role, readings: [first] }) => (role === 'lineKind' && first ? first.term : []))
  const unitsWith = (some: readonly string[]) => new Set(some.flatMap((term) => lexicon.unitsWith(term)))
  /** Units of the kinds that the query asks for, and those that leave such a matter open. */
  const [kindUnits, openUnits] = [unitsWith(kinds), unitsWith(kinds.map(openTermOf))]
  return { list: words.length > 0 ? words : names, speakers, kindUnits, openUnits }
}

function partsOf(label: string) {
  const folded = fold(label)
  return { label, folded, stems: new Set(folded.split(/[\s.'’_-]+/).map(stem)) }
}

function isPartOf({ readings }: SearchTerm, { folded, stems }: ReturnType<typeof partsOf>): boolean {
  return readings.some(({ kind, term }) => (kind === 'cjk' ? term.replaceAll(' ', '') === folded : stems.has(term)))
}

const minDerivedCosine = 0.3
/** Enough for a word that no unit has, if the words share at least five letters. */
const minCosineOfUnknown = 0.15
const minRelatedCosine = { latin: 0.5, cjk: 0.7 }
/** Words below `minRelatedCosine` order the results, but a query word with no nearer match still counts as unknown. */
const minDistantCosine = { latin: 0.4, cjk: 0.5 }
const maxRelated = 8
/** Maximum weight of several technical terms together. */
const maxTechnical = 0.8
const maxSpellings = 3
const maxLongerCodes = 50
const headKinds: ReadonlySet<MatchKind> = new Set(['exact', 'derived', 'prefix', 'spelling'])
const derivedWeight = 0.85
const prefixWeight = 0.8
const minBeginning = 4
const beginningShare = 0.6
const compoundWeight = 0.3
/** Weight of a related word with the cosine 1. Others have this weight times the square of their cosine. */
const relatedWeight = { latin: 0.8, cjk: 0.6 }

/** A word of letters, without Korean ones: their endings are handled by the index. */
const alphabetic = /^(?!\p{Script=Hangul})[\p{L}\p{M}][\p{L}\p{M}']*$/u

type Neighbours = readonly [before: string | undefined, after: string | undefined]

class WordFinder {
  readonly #term: SearchTerm
  readonly #neighbours: Neighbours
  readonly #lexicon: Lexicon
  readonly #relations: WordRelations
  readonly #matches: WordMatch[] = []
  readonly #terms = new Set<string>()

  constructor(term: SearchTerm, neighbours: Neighbours, lexicon: Lexicon, relations: WordRelations) {
    this.#term = term
    this.#neighbours = neighbours
    this.#lexicon = lexicon
    this.#relations = relations
  }

  find() {
    const { shown, role, readings } = this.#term
    for (const { kind, term, weight } of readings) this.#add('exact', indexTermsOf({ kind, term }), weight)
    const exactUnits = this.#maxUnits()
    const isUnknown = exactUnits === 0
    const isAlphabetic = alphabetic.test(shown) && readings[0]?.kind === 'word' && role !== 'figure'
    const hasLettersAndDigits = /^(?!\d+$)[a-z\d]{6,}$/.test(shown)
    if (isAlphabetic) this.#addForms(shown, isUnknown)
    else if (isUnknown && hasLettersAndDigits) this.#addParts(shown)
    else if (isUnknown && (codePattern.test(shown) || /^\d{3,}$/.test(shown))) this.#addPrefixes(shown, maxLongerCodes)
    if (isUnknown && role !== 'figure' && (!isAlphabetic || this.#maxUnits() === 0)) this.#addSounds(shown)
    if (isUnknown && readings[0]?.kind === 'cjk') this.#addPieces(readings[0].term.split(' '))
    const isRelatable = (role === 'content' || role === 'filler') && (!isAlphabetic || shown.length > 2)
    if (isRelatable) this.#addRelated(shown, minRelatedCosine)
    /** Number of units with the word; of the most frequent match if no unit has the word itself. */
    const documents = isUnknown ? this.#maxUnits() : exactUnits
    if (isRelatable && (isUnknown || !isAlphabetic)) this.#addRelated(shown, minDistantCosine)
    /** Inverse document frequency: logarithm of the ratio of all units to those with the word. */
    const idf = idfOf(documents, this.#lexicon)
    /** `idf`, times a factor for the role. */
    const weight = idf * this.#factor(documents)
    return { shown, role, documents, idf, weight, ...this.#collect(), matches: this.#matches }
  }

  #factor(documents: number): number {
    const { shown, role, readings } = this.#term
    if (role === 'lineKind') return documents > 0 ? kindFactor : 0
    const isSingle = readings[0]?.kind === 'cjk' && [...shown].length === 1
    return (documents > 0 ? knownFactor : unknownFactor)[role] * (isSingle ? singleCharacter : 1)
  }

  #collect() {
    /** By id of a unit with the word in its text: weight of the best match. */
    const units = new Map<number, number>()
    /** Ids of the units with the word in their headings, context or note name. */
    const headUnits = new Set<number>()
    const isTechnical = isTechnicalTerm(this.#term.shown)
    const isSummed = ({ kind }: WordMatch) => isTechnical && kind === 'related'
    for (const match of this.#matches) {
      for (const id of match.units) {
        const known = units.get(id) ?? 0
        // Several technical terms are more evidence than one, but less than the word itself.
        const sum = isSummed(match) ? Math.min(maxTechnical, known + (1 - known) * match.weight) : match.weight
        units.set(id, Math.max(known, sum))
      }
      if (headKinds.has(match.kind)) for (const id of match.headUnits) headUnits.add(id)
    }
    return { units, headUnits }
  }

  /** Returns the number of units of the most frequent match, in texts or else in headings. */
  #maxUnits(): number {
    const inTexts = Math.max(0, ...this.#matches.map(({ units }) => units.length))
    return inTexts > 0 ? inTexts : Math.max(0, ...this.#matches.map(({ headUnits }) => headUnits.length))
  }

  /** @returns true if a unit has all terms */
  #add(kind: MatchKind, terms: readonly string[], weight: number, word?: string): boolean {
    const key = terms.join(' ')
    if (this.#terms.has(key)) return false
    const units = intersection(terms.map((term) => this.#lexicon.unitsWith(term)))
    const headUnits = intersection(terms.map((term) => this.#lexicon.unitsUnder(term)))
    if (kind !== 'exact' && units.length === 0 && headUnits.length === 0) return false
    this.#terms.add(key)
    this.#matches.push({ kind, weight, terms, units, headUnits, ...(word === undefined ? {} : { word }) })
    return units.length > 0
  }

  /** @returns true if a unit has one of the words */
  #addWords(kind: MatchKind, words: readonly (readonly [word: string, term: string])[], weight: number): boolean {
    const isAdded = words.map(
      ([word, term]) => roleOfStem(term) !== 'function' && this.#add(kind, [term], weight, word),
    )
    return isAdded.includes(true)
  }

  #addForms(word: string, isUnknown: boolean): void {
    let isFound = this.#addDerived(word, isUnknown)
    if (!isUnknown) return
    if (word.length >= 3) isFound = this.#addPrefixes(word) || isFound
    if (!isFound && word.length >= 3) isFound = this.#addAttached(word)
    if (!isFound && word.length >= 4) isFound = this.#addSpellings(word)
    if (!isFound && word.length >= 5) isFound = this.#addMisspelledPrefix(word) || this.#addBeginnings(word)
    if (!isFound && word.length >= 6) this.#addParts(word)
  }

  #addPrefixes(word: string, limit = Infinity): boolean {
    return this.#addWords('prefix', this.#lexicon.wordsFrom(word).slice(0, limit), prefixWeight)
  }

  #addDerived(word: string, isUnknown: boolean): boolean {
    if (word.length < 4) return false
    const isForeign = this.#isForeign(word, isUnknown)
    const others = this.#lexicon.wordsFrom(word.slice(0, 3)).filter(([other]) => {
      if (other === word) return false
      if (isForeign && haveSameStem(word, other)) return true
      if (!areDerived(word, other)) return false
      const isLong = isUnknown && Math.min(word.length, other.length) >= 5
      return this.#relations.cosine(word, other) > (isLong ? minCosineOfUnknown : minDerivedCosine)
    })
    return this.#addWords('derived', others, derivedWeight)
  }

  /** Returns true for words of another language than English, whose model knows few of them. */
  #isForeign(word: string, isUnknown: boolean): boolean {
    return !/^[a-z']+$/.test(word) || (isUnknown && this.#relations.knows?.(word) === false)
  }

  /** Adds words that articles and prepositions are attached to: המפתחות (the keys), الأسنان (the teeth). */
  #addAttached(word: string): boolean {
    const own = attachedTo(word)
    const added = [
      this.#addWords(
        'prefix',
        withAttached(word).flatMap((form) => this.#lexicon.wordsFrom(form)),
        prefixWeight,
      ),
      ...own.map((rest) => this.#add('prefix', [rest], prefixWeight, rest)),
      ...own.map((rest) => this.#addPrefixes(rest)),
    ]
    return added.includes(true)
  }

  /** Adds words with the same beginning, for languages without a stemmer. */
  #addBeginnings(word: string): boolean {
    if (!this.#isForeign(word, true)) return false
    const least = Math.max(minBeginning, Math.ceil(word.length * beginningShare))
    const others = this.#lexicon.wordsFrom(word.slice(0, least)).filter(([other]) => other.length <= word.length + 3)
    return this.#addWords('prefix', others, prefixWeight / 2)
  }

  #addSpellings(word: string): boolean {
    const maxEdits = word.length >= 8 ? 2 : 1
    const others = this.#lexicon.wordsOfLength(word.length, maxEdits)
    const byEdits = Map.groupBy(others, ([other]) => editDistance(word, other, maxEdits))
    for (let edits = 1; edits <= maxEdits; edits += 1) {
      const nearest = byEdits.get(edits)
      if (!nearest) continue
      // Typing errors in the first letter are rare.
      const likely = nearest.filter(([other]) => other[0] === word[0])
      const weight = edits > 1 ? 0.5 : word.length < 6 ? 0.4 : 0.7
      return this.#addWords('spelling', (likely.length > 0 ? likely : nearest).slice(0, maxSpellings), weight)
    }
    return false
  }

  #addMisspelledPrefix(word: string): boolean {
    const lengths = [word.length, word.length + 1, word.length - 1]
    const others = this.#lexicon
      .wordsFrom(word.slice(0, 1))
      .filter(([other]) => other.length > word.length)
      .filter(([other]) => lengths.some((length) => editDistance(word, other.slice(0, length), 1) <= 1))
    return this.#addWords('prefix', others, prefixWeight / 2)
  }

  #addParts(word: string): void {
    for (let at = 3; at <= word.length - 3; at += 1) {
      const terms = [stem(word.slice(0, at)), stem(word.slice(at))]
      if (this.#add('compound', terms, compoundWeight, `${word.slice(0, at)} ${word.slice(at)}`)) return
    }
  }

  #addPieces(letters: readonly string[]): void {
    for (let length = letters.length - 1, isFound = false; length >= 2 && !isFound; length -= 1)
      for (let at = 0; at + length <= letters.length; at += 1)
        isFound =
          this.#addCjk('piece', letters.slice(at, at + length), (0.6 * length) / letters.length + 0.1) || isFound
  }

  #addCjk(kind: MatchKind, letters: readonly string[], weight: number): boolean {
    return this.#add(kind, indexTermsOf({ kind: 'cjk', term: letters.join(' ') }), weight, letters.join(''))
  }

  /** Adds words that sound or look alike. The segmenter may have split a misspelled word, so pairs are tried too. */
  #addSounds(shown: string): void {
    const [before, after] = this.#neighbours
    const separator = /^[a-z]/.test(shown) ? ' ' : ''
    const pairs = [before && `${before}${separator}${shown}`, after && `${shown}${separator}${after}`]
    const isIndexed = (letters: readonly string[]) =>
      intersection(indexTermsOf({ kind: 'cjk', term: letters.join(' ') }).map((term) => this.#lexicon.unitsWith(term)))
        .length > 0
    for (const word of [shown, ...pairs]) {
      const others = word === undefined ? [] : this.#lexicon.sounds.alternatives(word, isIndexed)
      if (others.map(({ term, weight }) => this.#addCjk('sound', term, weight)).includes(true)) return
    }
  }

  #addRelated(shown: string, minCosine: typeof minRelatedCosine): void {
    const isCjk = this.#term.readings[0]?.kind === 'cjk'
    let count = 0
    for (const { word, cosine } of this.#relations.related(shown)) {
      if (cosine < (isCjk ? minCosine.cjk : minCosine.latin) || count === maxRelated) return
      const isAdded = /[\u3400-\u9fff]/.test(word)
        ? roleOfCjk(word) !== 'function' && this.#addCjk('related', [...word], relatedWeight.cjk * cosine ** 2)
        : this.#addWords('related', [[word, stem(word)]], relatedWeight.latin * cosine ** 2)
      if (isAdded) count += 1
    }
  }
}

function intersection(lists: readonly (readonly number[])[]): readonly number[] {
  const [first = [], ...others] = lists.toSorted((one, other) => one.length - other.length)
  if (others.length === 0 || first.length === 0) return first
  const sets = others.map((list) => new Set(list))
  return first.filter((id) => sets.every((set) => set.has(id)))
}

const assistant = /^(?:assistant|ai|bot|chatgpt|claude|gemini|copilot|助手|助理)$/i
const user = /^(?:user|human|me|you|用户|我|你)$/i

export function isUser(label: string): boolean {
  return user.test(label)
}

/**
 * Returns the optimal string alignment distance (Damerau–Levenshtein without edits within a swap), or a number greater
 * than `maxEdits` if the distance exceeds it.
 */
export function editDistance(one: string, other: string, maxEdits: number): number {
  // Most words differ in more letters: an edit changes at most two.
  const different = lettersOf(one) ^ lettersOf(other)
  if (Math.abs(one.length - other.length) > maxEdits || countBits(different) > 2 * maxEdits) return maxEdits + 1
  let twoAbove: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let fewestEdits = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwap) edits = Math.min(edits, (twoAbove[column - 2] ?? 0) + 1)
      current.push(edits)
      fewestEdits = Math.min(fewestEdits, edits)
    }
    if (fewestEdits > maxEdits) return maxEdits + 1
    twoAbove = above
    above = current
  }
  return above[other.length] ?? 0
}

function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}
