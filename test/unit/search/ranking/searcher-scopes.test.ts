/** Private notes and chats must not influence what other readers, or other results, get. */
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import type { SearchOverrides } from '../../../../src/main/search/ranking/searcher.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createSearchIndex } from '../../../support/search-index.ts'
import { rounds, seededRandom } from '../../../support/thorough.ts'

const builtin = createBuiltinEmbeddings(builtinFile)
const vocabulary =
  'boiler boat dinghy garden greenhouse penicillin allergic Kettlewell Lisbon wifi code 4711 数据库 密码 rent landlord October yesterday'.split(
    ' ',
  )
const tags = ['home', 'health', 'secret']

type Random = () => number

function oneOf<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T
}

function sentence(random: Random): string {
  const words = Array.from({ length: 2 + Math.floor(random() * 6) }, () => oneOf(vocabulary, random))
  const tag = random() < 0.2 ? ` #${oneOf(tags, random)}` : ''
  return `${words.join(' ')}${tag}`
}

interface Note {
  readonly whole: string
  /** With blank lines instead of the private ones. */
  readonly open: string
}

function randomNote(random: Random): Note {
  // A heading without text is a unit, so an open line follows each.
  const open = (text: string) => ({ text, isPrivate: false })
  const lines = Array.from({ length: 1 + Math.floor(random() * 8) }, () => {
    const property = random() < 0.15 ? `${oneOf(['status', 'owner'], random)}:: ` : ''
    const item = `- ${property}${sentence(random)}`
    return random() < 0.2 ? [open(`# ${sentence(random)}`), open(item)] : [{ text: item, isPrivate: random() < 0.4 }]
  })
  const withHead = [open('# Note'), open('- note'), ...lines.flat()]
  return {
    whole: withHead.map(({ text, isPrivate }) => (isPrivate ? `${text} ^[local]` : text)).join('\n\n'),
    open: withHead.map(({ text, isPrivate }) => (isPrivate ? '' : text)).join('\n\n'),
  }
}

/** Returns a query of words, prefixes, misspelled words, phrases and filters. */
function randomQuery(random: Random): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const word = oneOf(vocabulary, random)
    const kind = random()
    if (kind < 0.1) return word.slice(0, 4)
    if (kind < 0.2) return word.slice(0, -2) + word.slice(-1)
    if (kind < 0.25) return `"${word}"`
    if (kind < 0.3) return `-${word}`
    if (kind < 0.4) return `tag:${oneOf(tags, random)}`
    if (kind < 0.5) return `${oneOf(['status', 'owner'], random)}:${word}`
    return word
  })
  return parts.join(' ')
}

const chat = (random: Random) =>
  Array.from(
    { length: 1 + Math.floor(random() * 4) },
    (_, at) => `- ${at % 2 === 0 ? 'User' : 'Assistant'}: ${sentence(random)}`,
  ).join('\n')

/** Returns all that a reader gets, except times and the hashes of whole files. */
async function answerOf(index: ReturnType<typeof createSearchIndex>, query: string, overrides: SearchOverrides) {
  const {
    timings: _timings,
    notice: _notice,
    ...response
  } = await index.search(query, { showWeak: true, ...overrides })
  const { candidates, terms, matched, thresholds } = await index.explain(query, overrides)
  const answer = { ...response, explained: candidates, terms, matched, thresholds }
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => (key === 'fileHash' ? undefined : value)),
  ) as typeof answer
}

describe('private units', () => {
  it('do not change what a reader without access gets', async () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(10, 150); round += 1) {
      const provider = random() < 0.5 ? builtin : undefined
      const [full, open] = [createSearchIndex({}, provider), createSearchIndex({}, provider)]
      for (let note = 0; note < 5; note += 1) {
        const { whole, open: rest } = randomNote(random)
        full.put(`${note}.md`, whole)
        open.put(`${note}.md`, rest)
      }
      if (random() < 0.5) full.put('private.md', `---\nvisibility: local\n---\n\n${randomNote(random).whole}`)
      full.put('sessions/a.jsonl', chat(random))
      for (let asked = 0; asked < 8; asked += 1) {
        const query = randomQuery(random)
        const overrides = { hasPrivate: false, hasChats: false, ...(random() < 0.3 ? { minScore: 0 } : {}) }
        expect(await answerOf(full, query, overrides), query).toEqual(await answerOf(open, query, overrides))
      }
    }
  }, 120_000)

  it('are not explained to a reader without access', async () => {
    const { explain, search } = createSearchIndex({ 'a.md': '- The open boiler.\n- The secret boat. ^[local]' })
    const why = { path: 'a.md', line: 2 }
    expect((await explain('boat', { hasPrivate: false }, why)).why).toMatchObject({ reason: 'notIndexed' })
    expect((await search('boat', { hasPrivate: false, minScore: 0 })).results).toEqual([])
    expect((await explain('boat', {}, why)).why).toMatchObject({ reason: 'returned' })
  })
})

describe('chats', () => {
  it('do not change the results, scores and ranks of notes', async () => {
    const random = seededRandom()
    for (let round = 0; round < rounds(10, 150); round += 1) {
      const provider = random() < 0.5 ? builtin : undefined
      const [withChats, without] = [createSearchIndex({}, provider), createSearchIndex({}, provider)]
      for (let note = 0; note < 4; note += 1) {
        const { whole } = randomNote(random)
        withChats.put(`${note}.md`, whole)
        without.put(`${note}.md`, whole)
      }
      for (let at = 0; at < 3; at += 1)
        withChats.put(
          `sessions/${at}.jsonl`,
          chat(random),
          Array.from({ length: 4 }, () => '2026-03-05'),
        )
      for (let asked = 0; asked < 8; asked += 1) {
        const query = randomQuery(random)
        const found = await answerOf(withChats, query, {})
        const isNote = ({ source }: { source: string }) => source !== 'sessions'
        const firstChat = found.results.findIndex((result) => !isNote(result))
        if (firstChat >= 0) expect(found.results.slice(firstChat).some(isNote), query).toBe(false)
        const notes = { ...found, results: found.results.filter(isNote), explained: found.explained.filter(isNote) }
        const expected = await answerOf(without, query, {})
        const { matched, thresholds } = expected
        // The matches of notes and chats are added up, and each kind has its threshold.
        expect(found.matched, query).toBeGreaterThanOrEqual(matched)
        expect(found.thresholds.notes, query).toBe(thresholds.notes)
        expect({ ...notes, candidates: notes.explained.length, matched, thresholds }, query).toEqual(expected)
      }
    }
  }, 120_000)

  it('appear after the notes, and not for readers who must not see them', async () => {
    const { find, put, explain } = createSearchIndex({ 'a.md': '- The boiler is in the cellar.' })
    put('sessions/a.jsonl', '- User: My boiler was repaired by Kettlewell.', ['2026-03-05'])
    expect(await find('boiler Kettlewell', { minScore: 0.01 })).toEqual(['a.md:1', 'sessions/a.jsonl:1'])
    expect(await find('boiler Kettlewell', { minScore: 0.01, hasChats: false })).toEqual(['a.md:1'])
    const { candidates } = await explain('boiler Kettlewell', { hasChats: false })
    expect(candidates.map(({ path }) => path)).toEqual(['a.md'])
  })

  it('that repeat a returned note are folded into it', async () => {
    const { find, put, explain } = createSearchIndex({ 'a.md': '- The server listens on port 8443 since January.' })
    put('sessions/a.jsonl', '- User: Noted: the server listens on port 8443 since January.', ['2026-03-05'])
    expect(await find('port of the server')).toEqual(['a.md:1'])
    const why = (await explain('port of the server', {}, { path: 'sessions/a.jsonl', line: 1 })).why
    expect(why).toMatchObject({ reason: 'duplicate', candidate: { verdict: { kind: 'duplicate', rank: 1 } } })
  })

  it('of the excluded session are not searched, and do not change those of others', async () => {
    const { search, put } = createSearchIndex({ 'a.md': '- The garden is large.' })
    const told = '- User: My boiler was repaired by Kettlewell.'
    put('sessions/other.jsonl', told, ['2026-03-05'])
    for (const query of ['boiler Kettlewell', '"repaired by"', 'on:2026-03-05', 'boiler source:chats']) {
      const before = (await search(query)).results
      expect(before.map(({ path }) => path)).toEqual(['sessions/other.jsonl'])
      put('sessions/own.jsonl', told.replace('was', 'has been'), ['2026-03-05'])
      expect((await search(query)).results.map(({ path }) => path)).toContain('sessions/own.jsonl')
      const found = (await search(query, { excludeSession: 'own' })).results.map(({ path }) => path)
      expect(found).toEqual(['sessions/other.jsonl'])
      put('sessions/own.jsonl', '')
    }
  })

  it('get at least 300 characters, and the results that the notes have left', async () => {
    const line = (at: number) => `- The boiler of house ${at} in ${'northern '.repeat(8)}Lisbon was repaired.`
    const { search, put } = createSearchIndex({ 'a.md': Array.from({ length: 30 }, (_, at) => line(at)).join('\n') })
    put('sessions/a.jsonl', '- User: My boiler was repaired by Kettlewell.', ['2026-03-05'])
    const sources = async (overrides: SearchOverrides) =>
      new Set((await search('boiler repaired', { minScore: 0.001, ...overrides })).results.map(({ source }) => source))
    expect(await sources({})).toEqual(new Set(['memory', 'sessions']))
    expect(await sources({ maxResults: 5 })).toEqual(new Set(['memory']))
  })
})

describe('weak results', () => {
  const notes = {
    'a.md': '- The boiler is in the cellar.\n- The garden has a boat.',
    'b.md': '- Rent is due in October.',
  }

  it('are the less likely notes, only if asked for', async () => {
    const { search } = createSearchIndex(notes)
    const query = 'who repaired the boiler of the landlord in Lisbon'
    const { results, weak, minScore } = await search(query, { showWeak: true, minScore: 0.9 })
    expect(results).toEqual([])
    expect(weak.map(({ path }) => path)).toContain('a.md')
    for (const { score } of weak) {
      expect(score).toBeLessThan(minScore)
      expect(score).toBeGreaterThanOrEqual(0.02)
    }
    expect(weak.map(({ score }) => score)).toEqual(weak.map(({ score }) => score).toSorted((one, other) => other - one))
    expect((await search(query, { minScore: 0.9 })).weak).toEqual([])
  })

  it('are at most ten, and no chats', async () => {
    const { search, put } = createSearchIndex({
      'a.md': Array.from({ length: 30 }, (_, at) => `- The boiler of house ${at}.`).join('\n'),
    })
    put('sessions/a.jsonl', '- User: My boiler was repaired.', ['2026-03-05'])
    const { weak } = await search('boiler', { showWeak: true, minScore: 1 })
    expect(weak).toHaveLength(10)
    expect(weak.every(({ source }) => source === 'memory')).toBe(true)
  })
})
