import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import {
  findQueryWords,
  wordRelations,
  type MatchKind,
  type WordRelations,
} from '../../../../src/main/search/ranking/query-words.ts'
import { builtinModelFile } from '../../../support/built.ts'
import { createUnitIndex, openNotes } from '../../../support/unit-index.ts'

const builtin = wordRelations(createBuiltinEmbeddings(builtinModelFile))
const none = wordRelations(undefined)

function ask(query: string, paragraphs: readonly string[], relations: WordRelations = none, hasPrivate = false) {
  const { put, textOf, reader } = createUnitIndex()
  put('n.md', paragraphs.join('\n\n'))
  const one = reader({ ...openNotes, hasPrivate })
  const { list: words, speakers } = findQueryWords(query, one.lexicon(), relations)
  return { words, speakers: [...speakers], textOf }
}

/** Returns the query's only word, and a function that returns the texts of units. */
function onlyWord(query: string, paragraphs: readonly string[], relations?: WordRelations, hasPrivate?: boolean) {
  const { words, textOf } = ask(query, paragraphs, relations, hasPrivate)
  const [word] = words
  if (!word || words.length > 1) throw new Error(`${words.length} words in "${query}"`)
  return { word, textOf }
}

/** Returns the matches of the query's only word, without the exact one, as `kind: word`. */
function matches(query: string, paragraphs: readonly string[], relations?: WordRelations): string[] {
  const { word } = onlyWord(query, paragraphs, relations)
  return word.matches.flatMap((match) => (match.kind === 'exact' ? [] : [`${match.kind}: ${match.word}`]))
}

/** Returns the kind and the weight with which the query's only word matches the only unit. */
function matchOf(query: string, paragraph: string, relations?: WordRelations): [MatchKind, number] | undefined {
  const [match, ...others] = onlyWord(query, [paragraph], relations).word.matches.filter(
    ({ units }) => units.length > 0,
  )
  expect(others, query).toEqual([])
  return match && [match.kind, match.weight]
}

const shown = (query: string, paragraphs: readonly string[]) => ask(query, paragraphs).words.map((word) => word.shown)

describe('a word of the query', () => {
  it('is found in texts and headings', () => {
    const { word, textOf } = onlyWord('gardens', ['the garden', '# Garden', 'roses'])
    expect(word).toMatchObject({ shown: 'gardens', role: 'content', documents: 1 })
    expect(Array.from(word.units, ([id, weight]) => [textOf(id), weight])).toEqual([['the garden', 1]])
    expect(Array.from(word.headUnits, textOf)).toEqual(['roses'])
  })

  it('is found in headings by its beginning, and with a typing error', () => {
    for (const typed of ['rosal', 'Roselind']) {
      const { word, textOf } = onlyWord(typed, ['# Aunt Rosalind', 'lives in Leeds'])
      expect(Array.from(word.headUnits, textOf), typed).toEqual(['lives in Leeds'])
    }
  })

  it('is no stop word', () => {
    expect(shown('Where is the boiler?', ['where is the boiler'])).toEqual(['boiler'])
    expect(shown('what is the', ['what is the'])).toEqual([])
    expect(shown('', ['soup'])).toEqual([])
  })
})

describe('other forms of a word', () => {
  it.each([
    ['allergy', 'allergic'],
    ['decide', 'decision'],
  ])('%s and %s match each other', (one, other) => {
    expect(matchOf(one, `the ${other}`, builtin)).toEqual(['derived', 0.85])
    expect(matchOf(other, `the ${one}`, builtin)).toEqual(['derived', 0.85])
  })

  it.each([
    ['universal', 'universes'],
    ['passport', 'passion'],
    ['comment', 'commerce'],
  ])('need a similar meaning, which %s and %s lack', (one, other) => {
    for (const [asked, found] of [
      [one, other],
      [other, one],
    ] as const)
      expect(matches(asked, [`the ${found}`], builtin).filter((match) => match.startsWith('derived'))).toEqual([])
  })
})

describe('an unknown word', () => {
  it('matches longer words, from three letters', () => {
    expect(matchOf('photog', 'the photographer')).toEqual(['prefix', 0.8])
    expect(matches('mac', ['macbooks and macaroni', 'stomach'])).toEqual(['prefix: macaroni', 'prefix: macbooks'])
    expect(matchOf('ma', 'macaroni')).toBeUndefined()
  })

  it.each([
    ['boilxr', 'a changed letter'],
    ['bioler', 'swapped letters'],
    ['boier', 'a missing letter', 0.4],
  ])('%s is boiler with %s', (typed, _, weight = 0.7) => {
    expect(matchOf(typed, 'the boiler')).toEqual(['spelling', weight])
  })

  it('may have two typing errors from eight letters', () => {
    expect(matchOf('accomodatoin', 'the accommodation')).toEqual(['spelling', 0.5])
    expect(matchOf('boxlxrs', 'the boilers')).toBeUndefined()
    expect(matchOf('boxlxrmen', 'the boilermen')).toEqual(['spelling', 0.5])
  })

  it('matches its two parts next to each other or apart, but not one of them', () => {
    expect(matchOf('macbook', 'a mac book')).toEqual(['compound', 0.3])
    expect(matchOf('macbook', 'a book on my mac')).toEqual(['compound', 0.3])
    expect(matches('macbook', ['a book', 'my mac'])).toEqual([])
    expect(ask('mac book', ['my macbook']).words[0]?.matches[1]).toMatchObject({ kind: 'prefix', word: 'macbook' })
  })

  it('of Chinese characters matches its longest pieces', () => {
    expect(matches('互联网', ['联网了', '互联', '网'])).toEqual(['piece: 互联', 'piece: 联网'])
    expect(matches('互联网', ['互联网', '联网了'])).toEqual([])
    const { word } = onlyWord('互联网', ['联网了'])
    expect(word.units.values().next().value).toBeCloseTo(0.5)
  })

  it('is the beginning of a number, from three digits', () => {
    const paragraphs = ['call 13911112222', 'call 13800138000', 'rent 7200']
    expect(matches('1391111', paragraphs)).toEqual(['prefix: 13911112222'])
    expect(matches('139', paragraphs)).toEqual(['prefix: 13911112222'])
    expect(matches('13', paragraphs)).toEqual([])
    expect(matches('7201', paragraphs)).toEqual([])
    const many = Array.from({ length: 100 }, (_, at) => `call ${5000 + at}`)
    expect(matches('500', ['call 5001'])).toEqual(['prefix: 5001'])
    expect(matches('50', many)).toEqual([])
  })

  it('is not corrected to private words', () => {
    const paragraphs = ['the boiler ^[local]', 'the photographer ^[local]', 'soup']
    for (const query of ['boilxr', 'photog', 'photogrxpher'])
      for (const hasPrivate of [false, true])
        expect(onlyWord(query, paragraphs, builtin, hasPrivate).word.units.size, query).toBe(Number(hasPrivate))
  })
})

describe('related words', () => {
  it('match if the memory has them', () => {
    expect(matches('automobile', ['my car', 'soup'], builtin)).toEqual([expect.stringMatching(/^related: cars?$/)])
    expect(matches('automobile', ['soup'], builtin)).toEqual([])
    expect(matches('automobile', ['my car'])).toEqual([])
  })
})

describe('speakers', () => {
  const dialogue = ['Ana: I live in Rome', 'Ben: fine', 'Ana: yes', 'Ben: Ana is nice']

  it('are recognized and not searched for', () => {
    const { words, speakers } = ask('Where does Ana live?', dialogue)
    expect(words.map((word) => word.shown)).toEqual(['live'])
    expect(speakers).toEqual(['Ana'])
  })

  it.each([
    ['Where does José work?', 'José'],
    ['What did Maria eat?', 'Ana Maria'],
    ['张伟喜欢什么', '张伟'],
  ])('of "%s" is %s', (query, label) => {
    expect(ask(query, [`${label}: one`, `${label}: two`]).speakers).toEqual([label])
  })
})
