/**
 * Understands a query (M19): free words are OR-ed, a phrase in quotes must stand in the text, function words step back
 * when there is anything else to look for. Pure.
 */
import { indexText, isStopWord, pairsOf, queryTerms, type QueryTerm } from '../terms.ts'

export interface Phrase {
  readonly kind: QueryTerm['kind']
  /** Terms joined by spaces, as they follow each other in the index. */
  readonly term: string
  readonly shown: string
}

export interface ParsedQuery {
  readonly terms: readonly QueryTerm[]
  /** Each must stand in a result. */
  readonly phrases: readonly Phrase[]
}

const quoted = /"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』/g

export function parseQuery(query: string): ParsedQuery {
  const phrases: Phrase[] = []
  for (const match of query.matchAll(quoted)) {
    const shown = (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim()
    phrases.push(...phraseParts(shown))
  }
  const all = queryTerms(query)
  const telling = all.filter((term) => !isStopWord(term))
  return { terms: telling.length > 0 ? telling : all, phrases }
}

/** A phrase of mixed script is one phrase in each script. */
function phraseParts(text: string): Phrase[] {
  const { words, chars } = indexText(text.replaceAll('\n', ' '))
  const parts: Phrase[] = []
  if (words.trim()) parts.push({ kind: 'word', term: words.trim(), shown: text })
  for (const run of chars.split('|')) if (run.trim()) parts.push({ kind: 'cjk', term: run.trim(), shown: text })
  return parts
}

/** Chunks that are worth ranking: of a query's terms, the rare ones decide, and the common ones only re-rank. */
const enoughChunks = 600
const fewChunks = 100
/** A term in more chunks than this adds nothing to look at when a rarer one was found at all. */
const tooManyChunks = 2000

/**
 * The terms to look for candidates with: from the rarest on, until together they stand in enough chunks. The others
 * take part in every candidate's score all the same.
 */
export function chooseCandidateTerms<T extends QueryTerm & { readonly documents: number }>(terms: readonly T[]): T[] {
  const chosen: T[] = []
  let chunks = 0
  for (const term of [...terms].sort((one, other) => one.documents - other.documents)) {
    const isEnough = chunks >= fewChunks && chunks + term.documents > enoughChunks
    if (isEnough || (chunks > 0 && term.documents > tooManyChunks)) break
    chosen.push(term)
    chunks += term.documents
  }
  return chosen
}

/** The FTS5 expression that finds every chunk with any of the terms and all of the phrases. */
export function toMatchExpression({ terms, phrases }: ParsedQuery): string {
  const any = terms.map(toIndexPhrase).join(' OR ')
  const all = phrases.map(toIndexPhrase)
  return [...(any ? [`(${any})`] : []), ...all].join(' AND ')
}

/**
 * What FTS5 is asked for: a word or phrase as it is, CJK characters by the pairs that they make. A quoted string is a
 * phrase to FTS5, whatever stands in it.
 */
export function toIndexPhrase({ kind, term }: Pick<QueryTerm, 'kind' | 'term'>): string {
  const letters = kind === 'cjk' ? term.split(' ') : []
  const phrase = letters.length > 1 ? pairsOf(letters).join(' ') : term
  return `"${phrase.replaceAll('"', '""')}"`
}
