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
  const { words, speakers } = findQueryWords(query, one.lexicon(), relations)
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
    expect(word).toMatchObject({ shown: 'gardens', role: 'word', documents: 1 })
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

  it('is pinyin together with a stop word', () => {
    expect(matches('huang shan', ['去年夏天爬了黄山'])).toEqual(['sound: 黄山'])
    expect(matches('huang shan', ['the boiler'])).toEqual([])
  })

  it('occurs once', () => {
    expect(shown('boiler or boilers, Boiler!', ['soup'])).toEqual(['boiler'])
  })

  it('has the units of its best match', () => {
    const { word, textOf } = onlyWord('macbook', ['a macbook', 'a mac book', 'macbooks'])
    expect(Array.from(word.units, ([id, weight]) => [textOf(id), weight])).toEqual([
      ['a macbook', 1],
      ['macbooks', 1],
    ])
  })
})

describe('other forms of a word', () => {
  it.each([
    ['allergy', 'allergic'],
    ['decide', 'decision'],
    ['include', 'inclusion'],
    ['expiry', 'expiration'],
    ['quick', 'quickly'],
  ])('%s and %s match each other', (one, other) => {
    expect(matchOf(one, `the ${other}`, builtin)).toEqual(['derived', 0.85])
    expect(matchOf(other, `the ${one}`, builtin)).toEqual(['derived', 0.85])
  })

  it.each([
    ['expire', 'expiration'],
    ['arrive', 'arrived'],
    ['child', 'children'],
  ])('%s and %s have the same stem', (one, other) => {
    expect(matchOf(one, `the ${other}`)).toEqual(['exact', 1])
    expect(matchOf(other, `the ${one}`)).toEqual(['exact', 1])
  })

  it('match beside the word itself', () => {
    expect(matches('decide', ['we decide', 'a decision'], builtin)).toContain('derived: decision')
  })

  it.each([
    ['universal', 'universes'],
    ['passport', 'passion'],
    ['policy', 'police'],
    ['comment', 'commerce'],
    ['internal', 'international'],
    ['organ', 'organic'],
  ])('need a similar meaning, which %s and %s lack', (one, other) => {
    for (const [asked, found] of [
      [one, other],
      [other, one],
    ] as const)
      expect(matches(asked, [`the ${found}`], builtin).filter((match) => match.startsWith('derived'))).toEqual([])
  })

  it('need a more similar meaning if units have the word itself', () => {
    const similarBy = (cosine: number) => ({ related: () => [], cosine: () => cosine })
    expect(matches('policy', ['police'], similarBy(0.2))).toEqual(['derived: police'])
    expect(matches('policy', ['policy', 'police'], similarBy(0.2))).toEqual([])
    expect(matches('policy', ['policy', 'police'], similarBy(0.4))).toEqual(['derived: police'])
  })

  it('need a model that knows the meaning', () => {
    expect(matches('decide', ['a decision'])).toEqual([])
  })

  it('are no stop words', () => {
    const relations = { related: () => [], cosine: () => 1 }
    expect(matches('verity', ['very'], relations)).toEqual([])
    expect(matches('verity', ['verify'], relations)).toEqual(['derived: verify'])
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
    ['boilerr', 'an added letter'],
    ['boier', 'a missing letter', 0.4],
    ['moiler', 'another first letter'],
  ])('%s is boiler with %s', (typed, _, weight = 0.7) => {
    expect(matchOf(typed, 'the boiler')).toEqual(['spelling', weight])
  })

  it('may have two typing errors from eight letters', () => {
    expect(matchOf('accomodatoin', 'the accommodation')).toEqual(['spelling', 0.5])
    expect(matchOf('boxlxrs', 'the boilers')).toBeUndefined()
    expect(matchOf('boxlxrmen', 'the boilermen')).toEqual(['spelling', 0.5])
  })

  it('matches the nearest spellings only, at best with the same first letter', () => {
    expect(matches('corroders', ['corridors and corroderz'])).toEqual(['spelling: corroderz'])
    expect(matches('boilxr', ['boiler and toilxr'])).toEqual(['spelling: boiler'])
    expect(matches('xoiler', ['boiler, coiler, foiler and toiler'])).toHaveLength(3)
  })

  it('is not corrected below four letters, nor if it is known', () => {
    expect(matchOf('sop', 'soup')).toBeUndefined()
    expect(matches('boiler', ['the boiler', 'the broiler'])).toEqual([])
  })

  it('matches longer words that begin with another spelling', () => {
    expect(matchOf('restaxra', 'the restaurant')).toEqual(['prefix', 0.4])
    expect(matchOf('restua', 'the restaurant')).toEqual(['prefix', 0.4])
    expect(matchOf('xestaura', 'the restaurant')).toBeUndefined()
    expect(matchOf('rxst', 'the restaurant')).toBeUndefined()
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

  it('has no matches in a memory without similar words', () => {
    expect(matches('xyzzy', ['soup'], builtin)).toEqual([])
    expect(ask('xyzzy', []).words).toMatchObject([{ documents: 0, weight: expect.any(Number) as number }])
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

  it('weigh less than the word itself', () => {
    const { word, textOf } = onlyWord('movie', ['a movie', 'a film'], builtin)
    const weights = new Map(Array.from(word.units, ([id, weight]) => [textOf(id), weight]))
    expect(weights.get('a movie')).toBe(1)
    expect(weights.get('a film')).toBeGreaterThan(0.2)
    expect(weights.get('a film')).toBeLessThan(0.8)
  })

  it('are at most eight beside the word itself', () => {
    const words = ['amber', 'birch', 'cedar', 'dahlia', 'elder', 'fern', 'gorse', 'hazel', 'iris']
    const relations = { cosine: () => 0, related: () => words.map((word, at) => ({ word, cosine: 0.9 - at / 100 })) }
    expect(matches('plant', [[...words, 'plant'].join(' ')], relations)).toHaveLength(8)
  })

  it('make the word known from a cosine of 0.5, and match from 0.4', () => {
    const wordOf = (cosine: number) =>
      onlyWord('plant', ['amber'], { cosine: () => 0, related: () => [{ word: 'amber', cosine }] }).word
    expect(wordOf(0.5)).toMatchObject({ documents: 1, units: new Map([[1, expect.any(Number)]]) })
    expect(wordOf(0.49)).toMatchObject({ documents: 0, units: new Map([[1, expect.any(Number)]]) })
    expect(wordOf(0.39)).toMatchObject({ documents: 0, units: new Map() })
  })

  it('do not match two letters: these are often initials', () => {
    const relations = { cosine: () => 0, related: () => [{ word: 'wifi', cosine: 0.9 }] }
    expect(matches('ww', ['wifi'], relations)).toEqual([])
  })

  it('below 0.5 do not match beside the word itself', () => {
    const relations = { cosine: () => 0, related: () => [{ word: 'amber', cosine: 0.49 }] }
    expect(matches('plant', ['amber', 'a plant'], relations)).toEqual([])
  })

  it('do not match for names', () => {
    const relations = { cosine: () => 0, related: () => [{ word: 'rome', cosine: 0.9 }] }
    expect(matches('in Lisbon', ['rome'], relations)).toEqual([])
    expect(matches('in lisbon', ['rome'], relations)).toEqual(['related: rome'])
  })
})

describe('speakers', () => {
  const dialogue = ['Ana: I live in Rome', 'Ben: fine', 'Ana: yes', 'Ben: Ana is nice']

  it('are recognized and not searched for', () => {
    const { words, speakers } = ask('Where does Ana live?', dialogue)
    expect(words.map((word) => word.shown)).toEqual(['live'])
    expect(speakers).toEqual(['Ana'])
  })

  it('are recognized in lower case and in the possessive, several at once', () => {
    expect(ask("does ana's dog like Ben", dialogue).speakers).toEqual(['Ana', 'Ben'])
  })

  it.each([
    ['Where does José work?', 'José'],
    ['Where does Jose work?', 'José'],
    ['What did Maria eat?', 'Ana Maria'],
    ['张伟喜欢什么', '张伟'],
    ['张伟喜欢什么', '張偉'],
    ['張偉喜歡什麼', '张伟'],
  ])('of "%s" is %s', (query, label) => {
    expect(ask(query, [`${label}: one`, `${label}: two`]).speakers).toEqual([label])
  })

  it('are also searched for if the query has no other word', () => {
    const { word, textOf } = onlyWord('Ana', dialogue)
    expect(ask('Ana', dialogue).speakers).toEqual(['Ana'])
    expect(Array.from(word.units.keys(), textOf)).toEqual(['Ben: Ana is nice'])
  })

  it('are not those whose names only begin alike', () => {
    expect(ask('What does Anabel like?', dialogue).speakers).toEqual([])
  })
})

describe('weights', () => {
  const weightOf = (query: string, word: string, paragraphs: readonly string[]) =>
    ask(query, paragraphs).words.find((one) => one.shown === word)?.weight ?? 0

  it('are higher for rare words', () => {
    const paragraphs = ['boiler and valve', 'boiler', 'boilers']
    expect(weightOf('boiler valve', 'valve', paragraphs)).toBeGreaterThan(
      weightOf('boiler valve', 'boiler', paragraphs),
    )
  })

  it('are higher for names and figures, and lower for fillers', () => {
    const paragraphs = ['we met Lisbon in garden number 42']
    const weight = (word: string) => weightOf('the number of gardens in Lisbon is 42', word, paragraphs)
    const [filler, word, figure, name] = ['number', 'gardens', '42', 'lisbon'].map(weight) as [
      number,
      number,
      number,
      number,
    ]
    expect([word / filler, figure / word, name / word]).toEqual([2, 1.2, 1.6].map((value) => expect.closeTo(value, 6)))
  })

  it('of unknown names are higher, of other unknown words lower, than if they are known', () => {
    const known = (word: string, query = `the ${word}`) => weightOf(query, word.toLowerCase(), [`the ${word}`])
    const unknown = (word: string) => weightOf(`the ${word}`, word.toLowerCase(), ['soup'])
    expect(unknown('Zorblax')).toBeGreaterThan(known('Zorblax'))
    expect(unknown('boiler')).toBeLessThan(known('boiler'))
    expect(unknown('number')).toBeLessThan(known('number'))
  })

  it('of a corrected word depend on the number of units with the correction', () => {
    const once = weightOf('boilxr', 'boilxr', ['boiler'])
    expect(weightOf('boilxr', 'boilxr', ['boiler', 'boilers'])).toBeLessThan(once)
    expect(once).toBe(weightOf('boiler', 'boiler', ['boiler']))
  })

  it('of a single Chinese character are lower', () => {
    expect(weightOf('茶', '茶', ['喝茶'])).toBeLessThan(weightOf('天气', '天气', ['天气']))
  })
})
