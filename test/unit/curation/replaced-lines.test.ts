/** Offers to replace a line when a note is saved: of changed facts, of facts that look alike, and of notes in turn. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findOriginal } from '../../../src/main/curation/similarity/duplicates.ts'
import { findReplaced } from '../../../src/main/curation/similarity/replaced-lines.ts'
import { statementsOf, type Statement } from '../../../src/main/curation/rules/note-rules.ts'
import { loadSimilarityModel } from '../../../src/main/curation/similarity/line-features.ts'
import { changedFacts, otherFacts } from '../../recall/changed-facts.ts'
import { textsIn } from '../../support/folder.ts'

const model = await loadSimilarityModel(
  fileURLToPath(new URL('../../../resources/models/builtin/model.bin', import.meta.url)),
)

function statementsIn(text: string): Statement[] {
  return statementsOf({ path: 'a.md', kind: 'note', day: undefined, modifiedAt: 0, isRescued: false, text, hash: '' })
}

const unrelated = statementsIn(
  'Lunch with Anna at the harbour\n\nThe roof was mended in spring\n\n周末去爬山，天气很好',
)

/** Returns true if the first offer is the older line, in a memory of a few lines. */
async function isOffered([old, now]: readonly [string, string]): Promise<boolean> {
  const [line, saved] = statementsIn(`${old}\n\n${now}`)
  return saved !== undefined && (await findReplaced(saved, [...unrelated, ...(line ? [line] : [])], model))[0] === line
}

/** A line of fewer than eight characters is no statement. */
async function shareOffered(pairs: readonly (readonly [string, string])[]): Promise<number> {
  const statements = pairs.filter((pair) => pair.every((text) => statementsIn(text).length === 1))
  const offered = await Promise.all(statements.map(isOffered))
  return offered.filter(Boolean).length / statements.length
}

describe('a changed fact', () => {
  it.each([
    ['English', (text: string) => !/\p{Script=Han}/u.test(text)],
    ['Chinese', (text: string) => /\p{Script=Han}/u.test(text)],
  ])('is offered for at least nine of ten hand-written notes in %s', async (_language, isIn) => {
    const pairs = changedFacts.filter(([old]) => isIn(old))
    expect(pairs.length).toBeGreaterThan(30)
    expect(await shareOffered(pairs)).toBeGreaterThanOrEqual(0.9)
  })

  it('is offered for at most one in five other facts that look alike', async () => {
    expect(await shareOffered(otherFacts)).toBeLessThanOrEqual(0.2)
  })

  it.each([
    ['My weight is 72 kg.', 'My weight is 71 kg now.'],
    ['Dinner with Tom, 45 euros.', 'Dinner with Tom, 60 euros.'],
    ['牙醫預約3月12日', '牙醫預約6月3日'],
  ])('is never a value that repeats: “%s”', async (one, other) => {
    expect(await isOffered([one, other])).toBe(false)
  })

  it('is found below a heading that names its subject', async () => {
    const olds = statementsIn(
      '# People\n\n## Lena Fischer\n\n- Phone: 0170 555 0142\n\n## Lars Berg\n\n- Phone: 0170 555 0100\n',
    )
    const [saved] = statementsIn('Lena Fischer has a new phone number: 0171 888 2210')
    const offered = saved ? await findReplaced(saved, [...unrelated, ...olds], model) : []
    expect(offered[0]).toBe(olds[0])
  })
})

describe('notes of a judged set, saved in turn', () => {
  it.each(['everyday-en', 'everyday-zh', 'other-words', 'short-notes'])('%s', { timeout: 60_000 }, async (set) => {
    const folder = fileURLToPath(new URL(`../../recall/${set}/workspace`, import.meta.url))
    const saved: Statement[] = []
    let offers = 0
    for (const text of Object.values(await textsIn(folder)))
      for (const line of statementsIn(text)) {
        const isOffer = (await findOriginal(line, saved, model)) ?? (await findReplaced(line, saved, model))[0]
        if (isOffer) offers += 1
        saved.push(line)
      }
    expect(saved.length).toBeGreaterThan(100)
    expect(offers / saved.length).toBeLessThanOrEqual(0.03)
  })
})
