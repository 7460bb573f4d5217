/** Findings of the rules in a few notes. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseDay } from '../../../src/main/search/text/language/dates.ts'
import { findDuplicateLines } from '../../../src/main/curation/similarity/duplicates.ts'
import {
  findExpired,
  findLargeSections,
  findNeverRetrieved,
  findPendingNotes,
  findStaleReferences,
  type Note,
} from '../../../src/main/curation/rules/note-rules.ts'
import { loadSimilarityModel } from '../../../src/main/curation/similarity/line-features.ts'
import { dailyLogDate, fileKind, isVerbatim } from '../../../src/main/workspace/files/layout.ts'

const now = Date.parse('2026-11-22T12:00:00Z')
const yearMs = 365 * 86_400_000

function note(path: string, text: string, modifiedAt = now): Note {
  const date = dailyLogDate(path)
  const day = date === undefined ? undefined : parseDay(date)
  return { path, kind: fileKind(path), day, modifiedAt, isRescued: isVerbatim(path), text, hash: '' }
}

const likeness = await loadSimilarityModel(
  fileURLToPath(new URL('../../../resources/models/builtin/model.bin', import.meta.url)),
)

describe('duplicate lines', () => {
  it.each([
    ['- Anna prefers green tea with honey', '* **Anna** prefers green tea with honey.', 'the same with other markup'],
    ['- Ben keeps his bike in the old shed', '- In the old shed Ben keeps his bike', 'in another order'],
    ['- 小李每周二15点在3号球馆打羽毛球', '- 每周二15点，小李会到3号球馆打羽毛球。', 'in another order, in Chinese'],
    ['- Ben keeps his bike in the old shed', '- 10:30 Ben keeps his bike in the old shed', 'an entry of a log'],
  ])('%s and %s (%s)', async (one, other) => {
    const found = await findDuplicateLines(
      [note('a.md', `${one}\n`), note('memory/2026-11-01.md', `${other}\n`)],
      likeness,
    )
    expect(found.map(({ rule, files }) => [rule, files[0]?.path])).toEqual([['duplicate', 'memory/2026-11-01.md']])
  })

  it('finds paraphrases only with the embedding model', async () => {
    const notes = [note('a.md', '- Ben keeps his bike in the shed\n- Ben keeps his bicycle in the shed\n')]
    expect(await findDuplicateLines(notes, likeness)).toHaveLength(1)
    expect(await findDuplicateLines(notes, undefined)).toEqual([])
  })

  it.each([
    ['- The boiler code upstairs is 7781', '- The boiler code upstairs is 7782', 'another number'],
    ['- The shop on the corner is open on Mondays', '- The shop on the corner is not open on Mondays', 'a denial'],
    ['- 小李每周二在三号球馆打羽毛球', '- 小李每周四在三号球馆打羽毛球', 'another day'],
    ['- 下周之前要交护照。', '- 下周之前要交签证。', 'another paper'],
  ])('not %s and %s (%s)', async (one, other) => {
    expect(await findDuplicateLines([note('a.md', `${one}\n${other}\n`)], likeness)).toEqual([])
  })

  it('keeps the line in MEMORY.md rather than in a log; never removes a parent line', async () => {
    const said = '- Anna prefers green tea with honey'
    const log = note('memory/2026-11-01.md', `${said}\n`)
    const [found] = await findDuplicateLines([log, note('MEMORY.md', `${said}\n`)], likeness)
    expect(found).toMatchObject({ rule: 'logged', evidence: [{ path: log.path, line: 1 }, { path: 'MEMORY.md' }] })
    const parent = note('memory/2026-11-01.md', `${said}\n  - from Assam\n`)
    expect(await findDuplicateLines([parent, note('MEMORY.md', `${said}\n`)], likeness)).toEqual([])
  })

  it('struck lines, code, tables, headings and front matter are no statements', async () => {
    const line = 'Anna prefers green tea with honey'
    const text = `---\ntitle: ${line}\n---\n# ${line}\n| ${line} |\n\`\`\`\n${line}\n\`\`\`\n- ~~${line}~~ (until 2026-01-01)\n- ${line}\n`
    expect(await findDuplicateLines([note('a.md', text)], likeness)).toEqual([])
  })
})

describe('other rules', () => {
  it('strikes expired lines with their day; skips done and future ones', () => {
    const log = note(
      'memory/2026-11-02.md',
      '- Anna is away until Friday.\n- [x] Submit it by 2026-11-05\n- Closed until 2027-01-05\n',
    )
    expect(findExpired([log], parseDay('2026-11-22')).map(({ files }) => files[0]?.edits)).toEqual([
      [
        {
          line: 1,
          before: ['- Anna is away until Friday.'],
          after: ['- ~~Anna is away until Friday.~~ (until 2026-11-06)'],
        },
      ],
    ])
  })

  it('moves a large section to a new note and overwrites none', () => {
    const body = Array.from({ length: 120 }, (_, at) => `- Fact number ${at} of the garden and its beds`).join('\n')
    const memory = note('MEMORY.md', `# Memory\n\n## Garden\n\n${body}\n\n## People\n\n- Anna\n`)
    const [found, ...others] = findLargeSections([memory, note('memory/Garden.md', '')])
    expect(others).toEqual([])
    expect(found?.files.map(({ path }) => path)).toEqual(['MEMORY.md', 'memory/Garden 2.md'])
    expect(found?.files[0]?.edits[0]?.after).toEqual(['## Garden', '', '- [memory/Garden 2.md]'])
    expect(found?.files[1]?.edits[0]?.after.at(2)).toBe('- Fact number 0 of the garden and its beds')
  })

  it('offers texts saved word for word until their notes are taken', () => {
    const text =
      '# x\r\n\r\n## 10:03 - Kept word for word, waiting to be distilled\r\n\r\n## 10:04 - Kept word for word, distilled\r\n'
    const path = 'memory/rescued/2026-01-01.md'
    const [found, ...others] = findPendingNotes([note(path, text), note('a.md', text)])
    expect(others).toEqual([])
    const after = ['## 10:03 - Kept word for word, notes taken']
    expect(found?.files).toEqual([{ path, edits: [{ line: 3, before: [expect.any(String)], after }] }])
    const taken = text.replace('Kept word for word, waiting to be distilled', 'Kept word for word, notes taken')
    expect(findPendingNotes([note(path, taken)])).toEqual([])
  })

  it('updates a reference to a moved line by its quote; leaves it if the target is unclear', () => {
    const struck = (place: string, said?: string) =>
      `- ~~Old rent~~ (until 2026-01-01, now: [${place}]${said === undefined ? '' : ` “${said}”`})\n`
    const found = (text: string, more: Record<string, string>) =>
      findStaleReferences([
        note('notes/a.md', text),
        ...Object.entries(more).map(([path, said]) => note(path, said)),
      ]).map(({ files: [file] }) => file?.edits[0]?.after[0])
    const moved = { 'b.md': '# Rent\n\nnew\n\n- Rent is 1450\n' }
    expect(found(struck('b.md:3', 'Rent is 1450'), moved)).toEqual([struck('b.md:5', 'Rent is 1450').trim()])
    expect(found(struck('b.md:5', 'Rent is 1450'), moved)).toEqual([])
    expect(found(struck('b.md:3'), moved), 'without a quote the target is unclear').toEqual([])
    expect(found(struck('b.md:3', 'Rent is 1600'), moved)).toEqual([])
    // The line moved to another note; with two candidates neither is used.
    const gone = { 'b.md': '# Rent\n', 'c.md': '- Rent is 1450\n' }
    expect(found(struck('b.md:3', 'Rent is 1450'), gone)).toEqual([struck('c.md:1', 'Rent is 1450').trim()])
    expect(found(struck('b.md:3', 'Rent is 1450'), { ...gone, 'd.md': 'Rent is 1450\n' })).toEqual([])
    // Relative to its folder, as written.
    expect(found(struck('b.md:9', 'Rent is 1450'), { 'notes/b.md': '- Rent is 1450\n' })).toEqual([
      struck('b.md:1', 'Rent is 1450').trim(),
    ])
  })

  it('reports a note as never retrieved after a year, if searches are recorded for that long', () => {
    const old = note('old.md', '# Old\n', now - 2 * yearMs)
    const notes = [old, note('new.md', '# New\n'), note('memory/2020-01-01.md', 'a log\n', now - 2 * yearMs)]
    const long = { at: now - yearMs - 1, paths: ['old.md'] }
    expect(findNeverRetrieved(notes, [], now)).toEqual([])
    expect(findNeverRetrieved(notes, [long], now).map(({ evidence }) => evidence[0]?.path)).toEqual(['old.md'])
    expect(findNeverRetrieved(notes, [long, { at: now - 1, paths: ['old.md'] }], now)).toEqual([])
  })
})
