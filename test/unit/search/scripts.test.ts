/** Words of many scripts, words of Taiwan and the mainland, and names that are small words or symbols. */
import { describe, expect, it } from 'vitest'
import { createSearchIndex } from '../../support/search-index.ts'

const lines = [
  'Лодка стоит у причала за домом.',
  'Η βάρκα είναι δίπλα στην αποβάθρα.',
  'הסירה קשורה ליד הבית',
  'القارب بجانب المنزل',
  'नाव घाट के पास खड़ी है',
  'Łódź zacumowano przy domu.',
  'Kayık evin arkasında.',
  'Báturinn liggur við bryggjuna.',
  'Thuyền đậu cạnh bến.',
  'Човен стоїть біля пристані.',
  'The Who play in Leeds on Friday.',
  'AT&T called about the contract.',
  'IT moved to the second floor.',
  '🎂 for Mira on 3 May',
  '打印机的地址是 192.168.1.40',
  '出租车的电话在冰箱上',
  '马铃薯和凤梨在厨房',
  'who is it',
]
const index = createSearchIndex({ 'notes.md': `# Notes\n\n${lines.map((line) => `- ${line}`).join('\n')}\n` })
const found = async (query: string) => (await index.find(query)).map((place) => lines[Number(place.split(':')[1]) - 3])

describe('a search finds', () => {
  it.each([
    ['лод', 0],
    ['лодками', 0],
    ['причла', 0],
    ['лодкя', 0],
    ['βαρκ', 1],
    ['βάρκες', 1],
    ['αποβαθρα', 1],
    ['סירה', 2],
    ['קשורא', 2],
    ['قارب', 3],
    ['منزل', 3],
    ['घाटों', 4],
    ['lodz', 5],
    ['zacumowali', 5],
    ['kayik', 6],
    ['arkasnda', 6],
    ['bátur', 7],
    ['bryggju', 7],
    ['thuyen', 8],
    ['пристанях', 9],
    ['пристань', 9],
  ])('another form, a part or a typing error: %s', async (query, at) => {
    expect((await found(query)).slice(0, 3)).toContain(lines[at])
  })

  it.each([
    ['The Who', 10],
    ['"the who"', 10],
    ['AT&T', 11],
    ['IT', 12],
    ['🎂', 13],
  ])('text as it is written: %s', async (query, at) => {
    expect(await found(query)).toEqual([lines[at]])
  })

  it.each([
    ['印表機的位址', 14],
    ['計程車', 15],
    ['土豆', 16],
    ['菠萝', 16],
  ])('words of Taiwan and of the mainland: %s', async (query, at) => {
    expect((await found(query)).slice(0, 3)).toContain(lines[at])
  })
})

it('lists lines that name a day with and without its year, and none of another year', async () => {
  const dated = createSearchIndex({
    'memory/2026-03-02.md':
      '# 2026-03-02\n\n- Return the books by March 12\n- Dinner on Thursday (2026-03-12)\n- The lease began on 2024-03-12\n',
  })
  const places = await dated.find('what do I have on March 12?')
  expect(places.toSorted()).toEqual(['memory/2026-03-02.md:3', 'memory/2026-03-02.md:4'])
})
