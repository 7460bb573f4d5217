import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTables, openForReading, openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { Searcher } from '../../../src/main/search/ranking/searcher.ts'
import { editDistance, SpellingDictionary } from '../../../src/main/search/keyword/spellings.ts'
import { IndexStore } from '../../../src/main/search/indexing/index-store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { defaults } from '../../recall/judged-set.ts'

function indexOf(notes: Readonly<Record<string, string>>, file = ':memory:') {
  const db = openForWriting(file)
  createTables(db, { provider: '', model: '', dimensions: 0 })
  const store = new IndexStore(db)
  const put = (path: string, text: string) =>
    store.replaceFile({ path, source: 'memory', hash: path, mtime: 0, size: text.length, text })
  for (const [path, text] of Object.entries(notes)) put(path, text)
  return { db, put, searcher: new Searcher(db, undefined) }
}

const found = async (searcher: Searcher, query: string) =>
  (await searcher.search(query, defaults, {}, false)).results.map(({ path }) => path)

describe('spelling correction', () => {
  it.each([
    ['kestrel', 'kestral', 1],
    ['quarantined', 'quarentined', 1],
    ['form', 'from', 1],
    ['receive', 'recieve', 1],
    ['accommodate', 'acomodate', 2],
    ['same', 'same', 0],
  ])('the distance of %s and %s is %d', (one, other, edits) => {
    expect(editDistance(one, other, 2)).toBe(edits)
    expect(editDistance(other, one, 2)).toBe(edits)
  })

  it('allows one edit from four letters, two from eight', () => {
    const { db } = indexOf({ 'MEMORY.md': 'The kestrel project, quarantined; owl.' })
    const spellings = new SpellingDictionary(db)
    spellings.refresh(1)
    const near = (word: string) => spellings.nearest(word).map((spelling) => spelling.word)
    expect(near('kestral')).toEqual(['kestrel'])
    expect(near('kasrtel')).toEqual([])
    expect(near('quarentned')).toEqual(['quarantined'])
    expect(near('kestrel')).toEqual([])
  })

  it('finds the intended word, reports it, and gives it less weight', async () => {
    const { searcher } = indexOf({
      'memory/a.md': 'The boiler is serviced by Kettlewell Heating.',
      'memory/b.md': 'Tomatoes are in the greenhouse.',
    })
    expect(await found(searcher, 'who services the bolier?')).toEqual(['memory/a.md'])
    const misspelt = await searcher.explain('bolier service', defaults, {}, undefined, false)
    const right = await searcher.explain('boiler service', defaults, {}, undefined, false)
    expect(misspelt.candidates[0]?.text?.terms).toEqual(
      expect.arrayContaining([expect.objectContaining({ term: 'bolier', instead: 'boiler' })]),
    )
    expect(misspelt.candidates[0]?.score).toBeLessThan(right.candidates[0]?.score ?? 0)
  })

  it('finds words written together or separately', async () => {
    const { searcher } = indexOf({
      'memory/a.md': 'Paint: Skimming Stone. Plate LK19 VTU.',
      'memory/b.md': 'The greenhouse.',
    })
    expect(await found(searcher, 'skimmingstone')).toEqual(['memory/a.md'])
    expect(await found(searcher, 'LK19VTU')).toEqual(['memory/a.md'])
    expect(await found(searcher, 'green house')).toEqual(['memory/b.md'])
  })

  it('knows words that are added later', async () => {
    const file = join(await temporaryFolder(), 'index.db')
    const { db, put } = indexOf({ 'memory/a.md': 'Nothing of the kind.' }, file)
    const reading = openForReading(file)
    const searcher = new Searcher(reading, undefined)
    expect(await found(searcher, 'kestral')).toEqual([])
    put('memory/b.md', 'The kestrel nests on the tower.')
    expect(await found(searcher, 'kestral')).toEqual(['memory/b.md'])
    reading.close()
    db.close()
  })
})

describe('score breakdown', () => {
  it('the terms add up to the share, and the scale gives the score', async () => {
    const { searcher } = indexOf({
      'memory/a.md': '房东是贺先生，房租每月四千二。',
      'memory/b.md': 'The landlord is Mr Okafor; rent is due on the 5th.',
      'memory/c.md': 'Rent a van.',
    })
    for (const query of ['when is rent due to Mr Okafor', '房租多少钱', 'rent landlrod']) {
      const { candidates, scale } = await searcher.explain(query, defaults, {}, undefined, false)
      expect(candidates.length).toBeGreaterThan(0)
      for (const { text, score } of candidates) {
        if (!text) continue
        expect(text.terms.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(text.share, 12)
        expect(text.share).toBeCloseTo((scale.evidence * text.raw) / scale.best, 12)
        expect(text.contribution).toBe(score)
      }
    }
  })

  it('explaining a line does not change the scores of other candidates', async () => {
    const { searcher } = indexOf({ 'memory/a.md': 'The walrus lives in the bath.', 'memory/b.md': 'The bath is blue.' })
    const plain = await searcher.explain('walrus', defaults, {}, undefined, false)
    const why = await searcher.explain('walrus', defaults, {}, { path: 'memory/b.md', line: 1 }, false)
    expect(why.candidates[0]).toEqual(plain.candidates[0])
    expect(why.scale).toEqual(plain.scale)
  })
})
