/**
 * What memory knows of a query's words. A word that it lacks is read as what it has instead: the nearest spelling (M19),
 * two words written as one or one as two, the known pieces of a CJK word, the known beginning of a Korean one.
 */
import { stem } from '../text/stem.ts'
import { minSpellingLength } from '../text/terms.ts'
import { roleOfStem } from '../text/stop-words.ts'
import type { QueryTerm, TermVariant } from '../query/parse-query.ts'
import type { SpellingCorrection, SpellingDictionary } from './spellings.ts'

export interface Vocabulary {
  /** Chunks that have a reading. */
  documents(reading: Pick<TermVariant, 'kind' | 'term'>): number
  readonly spellings: Pick<SpellingDictionary, 'has'> & { nearest(word: string): SpellingCorrection[] }
}

export interface KnownTerm extends QueryTerm {
  /** Chunks that have the term, by its commonest reading. */
  readonly documents: number
  /** What memory has in the place of a word that it lacks. */
  readonly instead?: string
  /** Words of memory that mean something like it, and count as it does, less. */
  readonly alike?: string
  /** That is another spelling. */
  readonly isRespelt?: boolean
}

/** What an occurrence of something like the word counts, against one of the word itself. */
const oneEdit = 0.7
const oneEditOfFew = 0.4
const twoEdits = 0.5
const compound = 0.8
const piece = 0.7
const beginning = 0.7

/** Shorter words have so many neighbours that any of them says little. */
export const shortLength = 6

/** Shorter parts of a word stand in too many others. */
const minPart = 3

export function resolveTerms(terms: readonly QueryTerm[], vocabulary: Vocabulary): KnownTerm[] {
  const resolved = terms.flatMap((term, index): KnownTerm[] => {
    const documents = maxDocuments(term.readings, vocabulary)
    if (documents > 0) return [{ ...term, documents }]
    if (isKnownByPart(term, vocabulary)) return []
    return readOtherwise(term, [terms[index - 1], terms[index + 1]], vocabulary)
  })
  // Two words may come down to the same piece; it is asked for once.
  const first = new Map(resolved.map((term) => [term.readings[0]?.term ?? term.shown, term] as const).toReversed())
  return resolved.filter((term) => first.get(term.readings[0]?.term ?? term.shown) === term)
}

/** `heron-9` where memory has `heron-1`: its parts are terms of their own, and say enough. */
function isKnownByPart({ shown }: QueryTerm, vocabulary: Vocabulary): boolean {
  const [name] = /^[a-z]{3,}(?=-\d+$)/.exec(shown) ?? []
  return name !== undefined && vocabulary.documents({ kind: 'word', term: stem(name) }) > 0
}

function maxDocuments(readings: readonly TermVariant[], vocabulary: Vocabulary): number {
  return Math.max(0, ...readings.map((reading) => vocabulary.documents(reading)))
}

function readOtherwise(
  term: QueryTerm,
  neighbours: readonly (QueryTerm | undefined)[],
  vocabulary: Vocabulary,
): KnownTerm[] {
  const { kind } = term.readings[0] ?? { kind: 'word' }
  const isKorean = /^\p{Script=Hangul}{2,}$/u.test(term.shown)
  const found = isKorean
    ? knownBeginning(term, vocabulary)
    : kind === 'cjk'
      ? knownPieces(term, vocabulary)
      : (glued(term, neighbours, vocabulary) ?? nearest(term, vocabulary) ?? split(term, vocabulary))
  return found ?? [{ ...term, documents: 0 }]
}

/** The nearest spellings, as readings that count less. */
function nearest(term: QueryTerm, vocabulary: Vocabulary): KnownTerm[] | undefined {
  if (term.shown.length < minSpellingLength || term.role === 'figure' || term.role === 'filler') return undefined
  const readings: TermVariant[] = []
  const names: string[] = []
  for (const { word, term: spelt, edits } of vocabulary.spellings.nearest(term.shown)) {
    if (roleOfStem(spelt) === 'function' || readings.some((reading) => reading.term === spelt)) continue
    const reading: TermVariant = { kind: 'word', term: spelt, weight: weightOf(term.shown, edits) }
    if (vocabulary.documents(reading) === 0) continue
    readings.push(reading)
    names.push(word)
  }
  return instead({ ...term, isRespelt: true }, readings, names.join(', '), vocabulary)
}

function weightOf(word: string, edits: number): number {
  return edits > 1 ? twoEdits : word.length < shortLength ? oneEditOfFew : oneEdit
}

function instead(
  term: QueryTerm & Pick<KnownTerm, 'isRespelt'>,
  readings: readonly TermVariant[],
  name: string,
  vocabulary: Vocabulary,
): KnownTerm[] | undefined {
  const documents = maxDocuments(readings, vocabulary)
  return documents === 0 ? undefined : [{ ...term, readings, documents, instead: name }]
}

/** `mac book` where memory has `macbook`. */
function glued(
  term: QueryTerm,
  neighbours: readonly (QueryTerm | undefined)[],
  vocabulary: Vocabulary,
): KnownTerm[] | undefined {
  const [before, after] = neighbours.map((other) => (other && isPlain(other.shown) ? other.shown : undefined))
  for (const whole of [before && before + term.shown, after && term.shown + after]) {
    if (whole === undefined || !mayBeSpelt(whole, vocabulary)) continue
    const found = instead(term, [{ kind: 'word', term: stem(whole), weight: 1 }], whole, vocabulary)
    if (found) return found
  }
  return undefined
}

/** `macbook` where memory has `mac book`, `lk19vtu` where it has `LK19 VTU`. */
function split(term: QueryTerm, vocabulary: Vocabulary): KnownTerm[] | undefined {
  if (!isPlain(term.shown) || term.shown.length < 2 * minPart) return undefined
  for (let at = minPart; at <= term.shown.length - minPart; at += 1) {
    const parts = [term.shown.slice(0, at), term.shown.slice(at)]
    if (!parts.every((part) => mayBeSpelt(part, vocabulary))) continue
    const readings = parts.map((part): TermVariant => ({ kind: 'word', term: stem(part), weight: compound }))
    if (!readings.every((reading) => vocabulary.documents(reading) > 0)) continue
    const phrase: TermVariant = {
      kind: 'word',
      term: readings.map((reading) => reading.term).join(' '),
      weight: compound,
    }
    const found = instead(term, [phrase], parts.join(' '), vocabulary)
    if (found) return found
  }
  return undefined
}

/** False only for what is spelt nowhere: spares the index most of the asking. */
function mayBeSpelt(word: string, { spellings }: Vocabulary): boolean {
  return word.length < minSpellingLength || /\d/.test(word) || spellings.has(word)
}

function isPlain(word: string): boolean {
  return /^[a-z0-9]+$/.test(word)
}

/** The longest pieces of a CJK word that memory has, as terms of their own; what it lacks of the word stays unknown. */
function knownPieces(term: QueryTerm, vocabulary: Vocabulary): KnownTerm[] | undefined {
  const letters = lettersOf(term)
  const shownLetters = [...term.shown]
  if (letters.length < 3) return undefined
  const pieces: KnownTerm[] = []
  let unknown = ''
  for (let at = 0; at < letters.length;) {
    let length = letters.length - at
    let documents = 0
    for (; length >= 2; length -= 1) {
      const reading = { kind: 'cjk' as const, term: letters.slice(at, at + length).join(' ') }
      documents = vocabulary.documents(reading)
      if (documents > 0) {
        const shown = shownLetters.slice(at, at + length).join('')
        pieces.push({
          shown,
          role: term.role,
          readings: [{ ...reading, weight: piece }],
          documents,
          instead: term.shown,
        })
        break
      }
    }
    if (documents === 0) {
      unknown += shownLetters[at] ?? ''
      at += 1
    } else at += length
  }
  if (pieces.length === 0) return undefined
  const rest: KnownTerm[] = unknown.length < 2 ? [] : [{ shown: unknown, role: term.role, readings: [], documents: 0 }]
  return [...pieces, ...rest]
}

/** As the index has them, where traditional characters are simplified ones. */
function lettersOf({ readings }: QueryTerm): string[] {
  return readings.find(({ kind }) => kind === 'cjk')?.term.split(' ') ?? []
}

/** A Korean word by its beginning, for its end changes with what is said of it: 묵었어 where memory has 묵었다. */
function knownBeginning(term: QueryTerm, vocabulary: Vocabulary): KnownTerm[] | undefined {
  const letters = lettersOf(term)
  for (let length = letters.length - 1; length >= 2; length -= 1) {
    const shown = letters.slice(0, length)
    const found = instead(term, [{ kind: 'cjk', term: shown.join(' '), weight: beginning }], shown.join(''), vocabulary)
    if (found) return found
  }
  return undefined
}
