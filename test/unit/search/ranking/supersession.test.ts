import { describe, expect, it } from 'vitest'
import { noFeatures } from '../../../../src/main/search/ranking/features.ts'
import { noMargin, type RankedUnit } from '../../../../src/main/search/ranking/rank.ts'
import { logistic } from '../../../../src/main/search/text/logistic.ts'
import { lowerSuperseded, Supersessions, type Supersession } from '../../../../src/main/search/ranking/supersession.ts'
import { createSearchIndex } from '../../../support/search-index.ts'
import { createUnitIndex } from '../../../support/unit-index.ts'

function open(notes: Readonly<Record<string, string>>, isSearched: (id: number) => boolean = () => true) {
  const index = createUnitIndex()
  for (const [path, text] of Object.entries(notes)) index.put(path, text)
  const supersessions = new Supersessions(index.db, isSearched)
  const at = index.db
    .prepare<[string, number], number>(
      `SELECT units.id FROM units JOIN files ON files.id = file_id
       WHERE path = ? AND ? BETWEEN start_line AND end_line AND flags & 16 = 0`,
    )
    .pluck()
  const idAt = (path: string, line: number) => at.get(path, line) ?? 0
  return { ...index, supersessions, idAt, of: (path: string, line: number) => supersessions.of(idAt(path, line)) }
}

const struck = (text: string, by = '') => `- ~~${text}~~ (until 2026-01-01${by === '' ? '' : `, now: [${by}]`})`

describe('a superseded unit', () => {
  it('has a date, a successor and its id', () => {
    const { of, idAt } = open({ 'a.md': struck('old', 'b.md:3'), 'b.md': 'one\n\nnew' })
    expect(of('a.md', 1)).toEqual({ until: '2026-01-01', by: 'b.md:3', successor: idAt('b.md', 3) })
    expect(of('b.md', 3)).toBeUndefined()
  })

  it('has the successor at the end of a chain', () => {
    const notes = { 'a.md': struck('one', 'b.md:1'), 'b.md': struck('two', 'c.md:1'), 'c.md': '- three' }
    const { of, idAt } = open(notes)
    expect(of('a.md', 1)).toEqual({ until: '2026-01-01', by: 'c.md:1', successor: idAt('c.md', 1) })
  })

  it('is never its own successor, in any cycle', () => {
    const { of } = open({
      'a.md': struck('one', 'b.md:1'),
      'b.md': struck('two', 'a.md:1'),
      'c.md': struck('own', 'c.md:1'),
    })
    expect(of('a.md', 1)?.until).toBe('2026-01-01')
    expect(of('a.md', 1)?.successor).toBeUndefined()
    expect(of('c.md', 1)?.successor).toBeUndefined()
  })

  it('finds its successor by the quote after lines were inserted', () => {
    const quote = struck('old', 'b.md:1').replace('])', '] “new”)')
    const { of } = open({ 'a.md': quote, 'b.md': '- one\n- two\n- new\n- four' })
    expect(of('a.md', 1)?.by).toBe('b.md:3')
  })

  it('may be a whole note, by its front matter', () => {
    const { of, supersessions } = open({
      'old.md': '---\nsuperseded: { until: 2025-06-01, by: new.md }\n---\n\nThe tortoise sleeps here.',
      'new.md': 'A box in the hall.',
    })
    expect(of('old.md', 5)).toMatchObject({ until: '2025-06-01', by: 'new.md:1' })
    expect(of('new.md', 1)).toBeUndefined()
    expect(supersessions.files().size).toBe(1)
  })

  it('does not name a successor that the reader must not see', () => {
    const index = open({ 'a.md': struck('old', 'b.md:1'), 'b.md': '- secret' })
    const hidden = new Supersessions(index.db, (id) => id !== index.idAt('b.md', 1))
    expect(hidden.of(index.idAt('a.md', 1))).toEqual({ until: '2026-01-01', by: 'b.md:1', successor: undefined })
  })
})

const unit = (id: number, logit: number): RankedUnit => ({
  id,
  features: noFeatures,
  bm25: 0,
  wordScores: [],
  logit,
  score: logistic(logit),
  contributions: { constant: logit },
  adjustments: [],
  margin: noMargin,
})

const by = (successor?: number): Supersession => ({ until: '2026-01-01', by: undefined, successor })

describe('the order', () => {
  it('puts a successor above all units that it replaces', () => {
    const ranked = [unit(1, 2), unit(2, 1), unit(3, 0), unit(4, -3)]
    const { ranked: changed, missing } = lowerSuperseded(
      ranked,
      new Map([
        [1, by(4)],
        [2, by(4)],
      ]),
    )
    expect(missing).toEqual([])
    expect(changed.map(({ id, logit }) => [id, logit])).toEqual([
      [4, 2],
      [1, 1.5],
      [2, 0.5],
      [3, 0],
    ])
    expect(changed[0]?.adjustments).toEqual([{ name: 'successor', contribution: 5 }])
    expect(changed[1]?.adjustments).toEqual([{ name: 'superseded', contribution: -0.5 }])
    expect(changed.every(({ logit, score }) => score === logistic(logit))).toBe(true)
  })
})

describe('a search', () => {
  it('finds the successor with none of the words above the superseded line, and says why', async () => {
    const { search, explain } = createSearchIndex({
      'a.md': struck('The parrot is called Jacob.', 'c.md:3'),
      'c.md': 'Something else.\n\nEverybody says Lola.',
    })
    const { results } = await search('how is the parrot called')
    expect(results.map(({ path, superseded }) => [path, superseded])).toEqual([
      ['c.md', undefined],
      ['a.md', { until: '2026-01-01', by: 'c.md:3' }],
    ])
    const { candidates } = await explain('how is the parrot called')
    const names = candidates.map(({ parts }) =>
      parts.find(({ name }) => name === 'form')?.features.map(({ name }) => name),
    )
    expect(names[0]).toContain('successor')
    expect(names[1]).toContain('superseded')
  })
})
