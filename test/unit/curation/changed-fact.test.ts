/** Notes that change a fact, and false offers when the notes of the judged sets are saved in turn. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findOriginal } from '../../../src/main/curation/similarity/duplicates.ts'
import { statementsOf, type Statement } from '../../../src/main/curation/rules/note-rules.ts'
import { findReplaced } from '../../../src/main/search/text/changed-fact.ts'
import { loadSimilarityModel } from '../../../src/main/curation/similarity/line-features.ts'
import { changedFacts, otherFacts } from '../../recall/changed-facts.ts'
import { textsIn } from '../../support/folder.ts'

const model = await loadSimilarityModel(
  fileURLToPath(new URL('../../../resources/models/builtin/model.bin', import.meta.url)),
)
const line = (text: string) => ({ text, headings: [] })
const replaces = (old: string, now: string) => findReplaced(line(now), [line(old)]) !== undefined

describe('a changed fact', () => {
  it.each([
    ['English', (text: string) => !/\p{Script=Han}/u.test(text)],
    ['Chinese', (text: string) => /\p{Script=Han}/u.test(text)],
  ])('replaces at least four of five hand-written notes in %s', (_language, isIn) => {
    const pairs = changedFacts.filter(([old]) => isIn(old))
    const found = pairs.filter(([old, now]) => replaces(old, now))
    expect(pairs.length).toBeGreaterThan(30)
    expect(found.length / pairs.length).toBeGreaterThanOrEqual(0.8)
  })

  it.each(otherFacts)('is not “%s” for “%s”', (one, other) => {
    expect([replaces(one, other), replaces(other, one)]).toEqual([false, false])
  })

  it('is found although the note says from when it holds', () => {
    expect(replaces('房租每月6800元，押一付三', '房租从12月起涨到7200元')).toBe(true)
    expect(replaces('The gym fee is 30 euros', 'The gym fee as of March is 35 euros')).toBe(true)
    expect(replaces('The deposit is 800 euros.', 'correction: the deposit is 900 euros, not 800')).toBe(true)
    expect(replaces('尿酸是 452', '更正：尿酸是 425，不是 452')).toBe(true)
  })

  it('is found below a heading that names its subject, and is the last of several', () => {
    const olds = [
      { text: 'Phone: 0170 555 0142', headings: ['People', 'Lena Fischer'] },
      { text: 'Phone: 0170 555 0177', headings: ['People', 'Lena Fischer'] },
      { text: 'Phone: 0170 555 0100', headings: ['People', 'Lars Berg'] },
    ]
    expect(findReplaced(line('Lena Fischer has a new phone number: 0171 888 2210'), olds)).toBe(olds[1])
  })
})

describe('notes of a judged set, saved in turn', () => {
  it.each(['everyday-en', 'everyday-zh', 'other-words', 'short-notes'])('%s', { timeout: 60_000 }, async (set) => {
    const folder = fileURLToPath(new URL(`../../recall/${set}/workspace`, import.meta.url))
    const saved: Statement[] = []
    let offers = 0
    for (const [path, text] of Object.entries(await textsIn(folder))) {
      const note = { path, kind: 'note', day: undefined, modifiedAt: 0, isRescued: false, text, hash: '' } as const
      for (const statement of statementsOf(note)) {
        if ((await findOriginal(statement, saved, model)) ?? findReplaced(statement, saved)) offers += 1
        saved.push(statement)
      }
    }
    expect(saved.length).toBeGreaterThan(100)
    expect(offers / saved.length).toBeLessThanOrEqual(0.03)
  })
})
