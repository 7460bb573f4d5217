import { describe, expect, it } from 'vitest'
import {
  collectCandidates,
  featureGroups,
  type Features,
  type UnitSimilarity,
} from '../../../../src/main/search/ranking/features.ts'
import { findQueryWords, wordRelations } from '../../../../src/main/search/ranking/query-words.ts'
import { rounds, seededRandom } from '../../../support/thorough.ts'
import { createUnitIndex, openNotes } from '../../../support/unit-index.ts'

interface Asked {
  readonly cosines?: Readonly<Record<string, number>>
  readonly nearest?: readonly string[]
  readonly hasPrivate?: boolean
}

class Candidates extends Map<string, Features> {
  of(text: string): Features {
    const features = this.get(text)
    if (!features) throw new Error(`"${text}" is no candidate`)
    return features
  }
}

/** Returns the features of the candidates by text. @param notes one, or several by path */
function ask(query: string, notes: string | Readonly<Record<string, string>>, asked: Asked = {}): Candidates {
  const { put, idOf, textOf, reader } = createUnitIndex()
  for (const [path, text] of Object.entries(typeof notes === 'string' ? { 'n.md': notes } : notes)) put(path, text)
  const one = reader({ ...openNotes, hasPrivate: asked.hasPrivate ?? false })
  const words = findQueryWords(query, one.lexicon(), wordRelations(undefined))
  const cosine = (id: number) => asked.cosines?.[textOf(id)] ?? 0
  const model: UnitSimilarity | undefined =
    asked.cosines || asked.nearest
      ? { nearest: (asked.nearest ?? []).map(idOf), cosine, similarity: (id) => 2 * cosine(id) }
      : undefined
  const { candidates } = collectCandidates(query, words, one.table, model)
  return new Candidates(candidates.map(({ id, features }) => [textOf(id), features]))
}

const list = (...items: string[]) => items.map((item) => `- ${item}`).join('\n')
const textsOf = (features: ReadonlyMap<string, Features>) => [...features.keys()].sort()

describe('candidates', () => {
  it('are the units with a query word, and up to three units around them', () => {
    const note = list('one', 'two', 'three', 'four', 'five boiler', 'six', 'seven', 'eight', 'nine')
    expect(textsOf(ask('boiler', note))).toEqual(['eight', 'five boiler', 'four', 'seven', 'six', 'three', 'two'])
  })

  it('are no units of other sections or files, except those with a word', () => {
    const notes = { 'a.md': '# A\n\nboiler\n\n# B\n\nsoup', 'b.md': 'rice' }
    expect(textsOf(ask('boiler', notes))).toEqual(['boiler'])
  })

  it('are also the units nearest in meaning', () => {
    const notes = { 'a.md': 'boiler', 'b.md': 'soup', 'c.md': 'rice' }
    expect(textsOf(ask('boiler', notes, { nearest: ['rice'] }))).toEqual(['boiler', 'rice'])
    expect(textsOf(ask('the', notes, { nearest: ['rice'] }))).toEqual(['rice'])
    expect(textsOf(ask('the', notes))).toEqual([])
    expect(textsOf(ask('boiler', {}))).toEqual([])
  })
})

describe('private units', () => {
  const note = list('one', 'the boiler?', 'the rusty boiler of Tom ^[local]', 'valve', 'tea')
  const open = list('one', 'the boiler?', 'valve', 'tea')
  const cosines = { 'the rusty boiler of Tom ^[local]': 0.9, valve: 0.2 }

  it('do not take part in a search of open units', () => {
    const nearest = ['the rusty boiler of Tom ^[local]', 'valve']
    for (const query of ['rusty boiler', 'boilxr', "Tom's boiler", 'valve'])
      expect(ask(query, note, { cosines, nearest }), query).toEqual(ask(query, open, { cosines, nearest: ['valve'] }))
  })

  it('take part in a search of all units', () => {
    expect(textsOf(ask('rusty boiler', note, { hasPrivate: true }))).toContain('the rusty boiler of Tom ^[local]')
    expect(ask('rusty boiler', note, { hasPrivate: true }).of('valve').followsQuestion).toBe(0)
    expect(ask('rusty boiler', note).of('valve').followsQuestion).toBe(1)
  })

  it('and chats do not take part in a search of notes', () => {
    const { put, textOf, reader } = createUnitIndex()
    put('a.md', 'the boiler')
    put('chat.jsonl', '- User: rusty boiler', 'sessions')
    const one = reader()
    const words = findQueryWords('rusty boiler', one.lexicon(), wordRelations(undefined))
    const { candidates: found } = collectCandidates('rusty boiler', words, one.table, undefined)
    expect(found.map(({ id }) => textOf(id))).toEqual(['the boiler'])
    expect(found[0]?.features.unknownWords).toBeGreaterThan(0)
  })
})

describe('all features', () => {
  it('are finite numbers for random notes and queries', () => {
    const random = seededRandom()
    const pieces = [
      'boiler',
      'Who?',
      'Ana: soup',
      'Ana: in May',
      '数据库',
      '# Rusty',
      'valve Tom 3',
      '```\nx\n```',
      'a | b',
    ]
    const some = (count: number) =>
      Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)] ?? '')
    for (let round = 0; round < rounds(15, 300); round += 1) {
      const { put, reader } = createUnitIndex()
      for (const path of ['a.md', 'b.md']) put(path, some(8).join('\n\n'))
      const { table, ...one } = { table: reader().table, lexicon: reader().lexicon() }
      const query = some(3).join(' ')
      const similarity = { nearest: [...table.ids()], cosine: () => random() - 0.5, similarity: () => random() - 0.5 }
      const { candidates: found } = collectCandidates(
        query,
        findQueryWords(query, one.lexicon, wordRelations(undefined)),
        table,
        similarity,
      )
      expect(found.length).toBe(table.units)
      for (const { features, bm25 } of found) {
        expect(Object.keys(features).sort()).toEqual(Object.values(featureGroups).flat().sort())
        expect([...Object.values(features), bm25].every(Number.isFinite), query).toBe(true)
      }
    }
  })
})
