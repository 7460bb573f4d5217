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
  /** Number of units with a query word or near in meaning. */
  matched = 0

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
  const { candidates, matched } = collectCandidates(query, words, one.table, model)
  const found = new Candidates(candidates.map(({ id, features }) => [textOf(id), features]))
  found.matched = matched
  return found
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

  it('are also units under a heading with the word', () => {
    expect(textsOf(ask('boiler', '# Boiler\n\nleaks\n\n# Other\n\nsoup'))).toEqual(['leaks'])
  })

  it('are also the units nearest in meaning', () => {
    const notes = { 'a.md': 'boiler', 'b.md': 'soup', 'c.md': 'rice' }
    expect(textsOf(ask('boiler', notes, { nearest: ['rice'] }))).toEqual(['boiler', 'rice'])
    expect(textsOf(ask('the', notes, { nearest: ['rice'] }))).toEqual(['rice'])
    expect(textsOf(ask('the', notes))).toEqual([])
    expect(textsOf(ask('boiler', {}))).toEqual([])
  })

  it('match if they have a word, or are among the nearest in meaning; each counts once', () => {
    const note = list('one', 'two boiler', 'three', 'four', 'five', 'six', 'seven boiler')
    expect(ask('boiler', note).matched).toBe(2)
    expect(ask('boiler', note, { nearest: ['three', 'two boiler'] }).matched).toBe(3)
    expect(ask('the', note, { nearest: ['three'] }).matched).toBe(1)
  })

  it('by words are the 110 best of many', () => {
    const notes = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`${at}.md`, at % 100 === 0 ? `boiler valve ${at}` : `boiler ${at}`]),
    )
    const found = ask('boiler valve', notes)
    expect(found.size).toBe(110)
    expect(found.matched).toBe(600)
    for (const at of [0, 100, 200, 300, 400, 500]) expect(found.has(`boiler valve ${at}`)).toBe(true)
  })
})

describe('own words', () => {
  const found = ask(
    'rusty boiler',
    list('the rusty boiler', 'the boiler', 'an rusty and very long story about a boiler', 'soup'),
  )

  it('cover the query in part or in full', () => {
    expect(found.of('the rusty boiler')).toMatchObject({ coverage: 1 })
    expect(found.of('the boiler').coverage).toBeLessThan(0.5)
    expect(found.of('soup')).toMatchObject({ ownWords: 0, coverage: 0 })
  })

  it('count more in short units', () => {
    const long = found.of('an rusty and very long story about a boiler')
    expect(found.of('the rusty boiler').ownWords).toBeGreaterThan(long.ownWords)
    expect(long.coverage).toBe(1)
  })
})

describe('words nearby', () => {
  it('are those that the neighbour has beyond the unit', () => {
    const found = ask('rusty boiler', list('boiler', 'rusty', 'boilers', 'none'))
    const [first, second, third, last] = ['boiler', 'rusty', 'boilers', 'none'].map((text) => found.of(text))
    expect(first).toMatchObject({ previousWords: 0, secondPreviousWords: 0 })
    expect(second?.previousWords).toBeGreaterThan(0)
    expect(third?.secondPreviousWords).toBe(0)
    expect(last?.secondPreviousWords).toBeGreaterThan(0)
  })

  it('cover the query together with those of the unit', () => {
    const found = ask('rusty boiler', list('rusty', 'one', 'two', 'boiler', 'three', 'four', 'five', 'six'))
    const both = (text: string) => [found.of(text).coverageOfThree, found.of(text).coverageOfSeven]
    expect(both('boiler')).toEqual([0.5, 1])
    expect(both('one')).toEqual([0.5, 1])
    expect(both('four')).toEqual([0, 0.5])
  })

  it('are only those of the same section and file', () => {
    const notes = { 'a.md': '# A\n\nrusty\n\n# B\n\nboiler\n\n# C\n\nrusty valve', 'b.md': 'rusty' }
    const { previousWords, coverageOfSeven } = ask('rusty boiler', notes, { nearest: [] }).of('boiler')
    expect(previousWords).toBe(0)
    expect(coverageOfSeven).toBeLessThan(0.9)
  })
})

describe('the section', () => {
  const note = '# A\n\nrusty boiler\n\nrusty valve\n\nboiler valve\n\n# B\n\nboiler\n\nsoup\n\nrice\n\n# C\n\ntea'
  const found = ask('rusty boiler valve', note, { nearest: ['tea'] })

  it('ranks from 0 to 1 by its words, and to less in notes that are compared by meaning', () => {
    const texts = ['rusty boiler', 'boiler valve', 'boiler', 'rice']
    const words = ask('rusty boiler valve', note)
    const ranks = texts.map((text) => words.of(text).sectionRank)
    expect(ranks[0]).toBe(1)
    expect(ranks[1]).toBe(1)
    expect(ranks[2]).toBe(ranks[3])
    expect(ranks[2]).toBeGreaterThan(0)
    expect(ranks[2]).toBeLessThan(1)
    const best = found.of('rusty boiler').sectionRank
    expect(best).toBeGreaterThan(0.5)
    expect(best).toBeLessThan(1)
    expect(found.of('tea').sectionRank).toBe(0)
  })

  it('has more words if it covers more of the query', () => {
    expect(found.of('rusty boiler').sectionWords).toBeGreaterThan(found.of('boiler').sectionWords)
    expect(found.of('tea').sectionWords).toBe(0)
  })

  it('has the words of headings that the unit lacks', () => {
    const heads = ask('boiler valve', '# Boiler\n\nvalve\n\nthe boiler\n\n# Other\n\nvalve two')
    expect(heads.of('valve').headingWords).toBeGreaterThan(0.3)
    expect(heads.of('the boiler').headingWords).toBe(0)
    expect(heads.of('valve two').headingWords).toBe(0)
  })
})

describe('meaning', () => {
  const cosines = { one: 0.1, two: 0.2, three: 0.4, four: 0.8, five: 0.9 }

  it('is the cosine of the unit, its neighbours and the best candidate of its section', () => {
    const found = ask('the', list('one', 'two', 'three', 'four'), { cosines, nearest: ['two', 'three'] })
    expect(found.of('three')).toMatchObject({
      cosine: 0.4,
      previousCosine: 0.2,
      windowCosine: expect.closeTo((0.4 + 0.2 + 0.8 + 0.1 / 2) / 4) as number,
      sectionCosine: 0.4,
      similarity: 0.8,
      windowSimilarity: expect.closeTo((0.8 + 0.4 + 1.6) / 3) as number,
      sectionSimilarity: 0.8,
      questionCosine: 0,
    })
    expect(found.of('two').sectionCosine).toBe(0.4)
  })

  it('is 0 without a model, and beyond the ends of the file', () => {
    for (const name of featureGroups.meaning) expect(ask('soup', 'soup').of('soup')[name], name).toBe(0)
    const notes = { 'a.md': 'five', 'b.md': 'one', 'c.md': 'four' }
    expect(ask('the', notes, { cosines, nearest: ['one'] }).of('one')).toMatchObject({
      cosine: 0.1,
      previousCosine: 0,
      windowCosine: 0.025,
      sectionCosine: 0.1,
    })
  })

  it('has the similarity of neighbours in the same section only', () => {
    const found = ask('the', '# A\n\nfive\n\n# B\n\none\n\n# C\n\nfour', { cosines, nearest: ['one'] })
    expect(found.of('one').windowSimilarity).toBeCloseTo(0.2 / 3)
    expect(found.of('one').sectionCosine).toBe(0.1)
  })
})

describe('an answer after a question', () => {
  const found = ask('boiler', list('Who repairs the boiler?', 'Tom', 'soup'), {
    cosines: { 'Who repairs the boiler?': 0.7 },
  })

  it('follows it directly', () => {
    expect(found.of('Who repairs the boiler?')).toMatchObject({ isQuestion: 1, followsQuestion: 0, questionWords: 0 })
    expect(found.of('Tom')).toMatchObject({ isQuestion: 0, followsQuestion: 1, questionCosine: 0.7 })
    expect(found.of('soup')).toMatchObject({ followsQuestion: 0, questionWords: 0, questionCosine: 0 })
  })

  it('has the words of the question', () => {
    expect(found.of('Tom').questionWords).toBe(found.of('Tom').previousWords)
    expect(found.of('Tom').questionWords).toBeGreaterThan(0)
  })

  it('does not follow a question of another section', () => {
    const other = ask('boiler', '# A\n\nWho repairs the boiler?\n\n# B\n\nthe boiler').of('the boiler')
    expect(other.followsQuestion).toBe(0)
  })
})

describe('speakers', () => {
  const note = 'Ana: soup\n\nBen: the soup\n\nAna: rice\n\nBen: tea\n\nthen soup came'
  const formOf = ({ namedSpeaker, otherSpeaker, isDialogue }: Features) => [namedSpeaker, otherSpeaker, isDialogue]

  it('are the named one or another one, if the query names one', () => {
    const found = ask('what soup does Ana like', note)
    expect(formOf(found.of('Ana: soup'))).toEqual([1, 0, 1])
    expect(formOf(found.of('Ben: the soup'))).toEqual([0, 1, 1])
    expect(formOf(found.of('then soup came'))).toEqual([0, 0, 0])
    expect(found.of('then soup came').namesSpeaker).toBe(1)
  })

  it('are neither if the query names none', () => {
    const found = ask('what soup', note)
    expect(formOf(found.of('Ana: soup'))).toEqual([0, 0, 1])
    expect(found.of('Ana: soup').namesSpeaker).toBe(0)
  })
})

describe('the form of the answer', () => {
  it.each<[keyof Features, string, string, string]>([
    ['time', 'when was the boiler repaired', 'boiler in May', 'boiler in Rome'],
    ['time', '什么时候修锅炉', '锅炉昨天', '锅炉好'],
    ['number', 'how many valves', 'three valves', 'valves'],
    ['number', '多少阀门', '三个阀门', '阀门'],
    ['fittingName', 'who repairs the boiler', 'boiler by Tom', 'boiler by him'],
    ['fittingName', 'where is the boiler', 'boiler in Rome', 'boiler in there'],
  ])('has a %s if "%s" asks for it', (name, query, fitting, other) => {
    const found = ask(query, list(fitting, other))
    expect(found.of(fitting)[name]).toBeGreaterThan(0)
    expect(found.of(other)[name]).toBe(0)
    const plain = ask('boiler valves 锅炉阀门', list(fitting, other))
    expect(plain.of(fitting)[name]).toBe(0)
  })

  it('has the length and the kind of the unit', () => {
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ')
    const found = ask('boiler', `boiler\n\nmy boiler then Tom\n\nboiler ${words}\n\n\`\`\`\nboiler code\n\`\`\``)
    const shapeOf = (text: string) => {
      const { length, isFirstPerson, capitalized } = found.of(text)
      return [length, isFirstPerson, capitalized].map((value) => Math.round(value * 100) / 100)
    }
    expect(shapeOf('boiler')).toEqual([0.03, 0, 0])
    expect(shapeOf('my boiler then Tom')).toEqual([0.13, 1, 0.33])
    expect(shapeOf(`boiler ${words}`)).toEqual([1, 0, 0])
  })
})

describe('the query', () => {
  const of = (query: string, note = 'boiler') => {
    const found = ask(query, note)
    return found.of(textsOf(found)[0] ?? '')
  }

  it('has words that the memory lacks', () => {
    expect(of('boiler').unknownWords).toBe(0)
    expect(of('boiler zorblax').unknownWords).toBeGreaterThan(0.3)
    expect(of('boilers').unknownWords).toBe(0)
  })

  it('has a name that the memory lacks, and no speaker', () => {
    const dialogue = 'Ana: boiler\n\nAna: soup'
    const unknown = (query: string, note?: string) => of(query, note).unknownName
    expect(unknown('the boiler of Zorblax')).toBe(1)
    expect(unknown('the boiler of Zorblax', 'boiler of Zorblax')).toBe(0)
    expect(unknown('the boiler of zorblax')).toBe(0)
    expect(unknown('does Ana know the boiler of Zorblax', dialogue)).toBe(0)
  })

  it('has the size of the memory', () => {
    expect(of('boiler').logUnits).toBe(0)
    expect(of('boiler', list('boiler', ...Array.from({ length: 99 }, (_, at) => `soup ${at}`))).logUnits).toBe(2)
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
