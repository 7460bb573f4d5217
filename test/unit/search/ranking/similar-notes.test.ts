import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const builtin = createBuiltinEmbeddings(builtinFile)
const others = {
  'health.md': '# Health\n\n- The dentist pulls the wisdom tooth in March.\n- Blood pressure was 138 over 88.',
  'money.md': '# Money\n\n- Three hundred each month for the trip to Japan.\n- The mortgage is fixed until 2031.',
  'house.md': [
    '# House',
    '- The boiler is serviced every October by Kettlewell.',
    '- Paint for the hall: Skimming Stone, two litres left.',
    '- The neighbour borrowed the long ladder until Sunday.',
    '- Tomatoes and pumpkins grow behind the greenhouse.',
    '- The bicycle chain has to be oiled after each rain.',
    '- The router stands in the cellar, next to the washing machine.',
    '- The invoice of the roofer came to four thousand.',
    '- The train to Lisbon leaves from platform two at noon.',
    '- The cat was vaccinated against rabies in town.',
    '- The printer needs black ink and thick paper.',
  ].join('\n'),
  'kids.md': '# Kids\n\n- Our daughter starts kindergarten in September.\n- She likes the violin teacher.',
}

describe('similar notes', () => {
  it('are on the same subject, with the best pair of units', () => {
    const { searcher } = createSearchIndex(
      {
        ...others,
        'plans.md': '# Plans\n\nNothing yet.\n\n- Buy a satchel for the daughter’s preschool in September.',
      },
      builtin,
    )
    const [nearest, ...rest] = searcher.similarNotes('plans.md', 8)
    expect(nearest).toMatchObject({
      path: 'kids.md',
      line: 3,
      endLine: 3,
      from: 5,
      text: 'Our daughter starts kindergarten in September.',
    })
    expect(rest.map(({ path }) => path)).not.toContain('money.md')
  })

  it('are none for a note on another subject, for an unknown one and without vectors', () => {
    const notes = { ...others, 'boats.md': '# Boats\n\n- The dinghy has a hole below the waterline.' }
    const { searcher } = createSearchIndex(notes, builtin)
    expect(searcher.similarNotes('boats.md', 8)).toEqual([])
    expect(searcher.similarNotes('nowhere.md', 8)).toEqual([])
    expect(createSearchIndex(notes).searcher.similarNotes('kids.md', 8)).toEqual([])
  })

  it('are at most as many as asked for, nearest first, each once, and no chats', () => {
    const copies = Object.fromEntries(
      Array.from({ length: 4 }, (_, at) => [
        `copy${at}.md`,
        `- Our daughter starts kindergarten in September${' as we heard'.repeat(at)}.`,
      ]),
    )
    const { searcher, put } = createSearchIndex({ ...others, ...copies }, builtin)
    put('sessions/a.jsonl', '- User: Our daughter starts kindergarten in September.', ['2026-03-05'])
    const found = searcher.similarNotes('kids.md', 3)
    expect(found).toHaveLength(3)
    expect(new Set(found.map(({ path }) => path)).size).toBe(3)
    expect(found[0]?.path).toBe('copy0.md')
    const cosines = found.map((note) => note.cosine)
    expect(cosines).toEqual(cosines.toSorted((one, other) => other - one))
    expect(searcher.similarNotes('kids.md', 20).map(({ path }) => path)).not.toContain('sessions/a.jsonl')
  })
})
