import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { matchedTerm, matchedWords } from '../../../../src/main/search/ranking/matched-words.ts'
import { findQueryWords, wordRelations } from '../../../../src/main/search/ranking/query-words.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createUnitIndex } from '../../../support/unit-index.ts'

const builtin = createBuiltinEmbeddings(builtinFile)

function ask(query: string, texts: readonly string[], provider?: typeof builtin) {
  const index = createUnitIndex()
  index.put('a.md', texts.join('\n\n'))
  return { words: findQueryWords(query, index.reader().lexicon(), wordRelations(provider)), idOf: index.idOf }
}

const matched = (query: string, text: string) => matchedWords(text, ask(query, [text], builtin).words)

describe('the matched words of a text', () => {
  it.each([
    ['zeppelin', 'Zeppelins land; the zeppelin landed.', ['Zeppelins', 'zeppelin']],
    ['飞艇', '飞艇降落在湖边', ['飞艇']],
    ['zepelin', 'The zeppelin landed', ['zeppelin']],
    ['preschool', 'she is in kindergarten', ['kindergarten']],
    ['macbook', 'a mac book', ['mac', 'book']],
    ['art', 'start of the party', []],
  ])('for %j in %j', (query, text, expected) => {
    expect(matched(query, text)).toEqual(expected)
  })
})

describe('how a word matched', () => {
  it('is the word itself, if a unit has it', () => {
    const { words, idOf } = ask('boiler', ['the boiler', 'boilers'])
    expect(words.list.map((word) => matchedTerm(word))).toEqual([{ term: 'boiler' }])
    expect(words.list.map((word) => matchedTerm(word, idOf('boilers')))).toEqual([{ term: 'boiler' }])
  })

  it('is the replacement of a misspelled word, and a related word as such', () => {
    expect(ask('bolier', ['the boiler']).words.list.map((word) => matchedTerm(word))).toEqual([
      { term: 'bolier', instead: 'boiler' },
    ])
    expect(ask('preschool', ['the kindergarten'], builtin).words.list.map((word) => matchedTerm(word))).toEqual([
      { term: 'preschool', alike: 'kindergarten' },
    ])
  })
})
