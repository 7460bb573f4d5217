import { describe, expect, it } from 'vitest'
import {
  matchesQuote,
  quoteOf,
  strikeThrough,
  supersededLine,
  supersededNote,
} from '../../../src/shared/markdown/superseded.ts'

describe('superseded lines', () => {
  it.each([
    [
      '- ~~We deploy on Heroku.~~ (until 2026-11-21, now: [memory/2026-11-21.md:12])',
      ['We deploy on Heroku.', '2026-11-21', 'memory/2026-11-21.md', 12],
    ],
    ['  2. ~~a~~ (until 2026-01-01, now: [x.md:1])', ['a', '2026-01-01', 'x.md', 1]],
    ['> - ~~quoted~~ (until 2026-01-01)', ['quoted', '2026-01-01', undefined, undefined]],
    ['- ~~a~~ (until 2026-01-01, now: [n/x.md:3](n/x.md#L3))', ['a', '2026-01-01', 'n/x.md', 3]],
    ['- ~~a~~ (until 2026-01-01, now: [n/x.md:3-5])', ['a', '2026-01-01', 'n/x.md', 3]],
    ['- ~~房租是五千~~ (until 2026-01-01, now: [笔记/房租.md:2]) ^id', ['房租是五千', '2026-01-01', '笔记/房租.md', 2]],
  ] as const)(' %s', (line, [text, until, path, at]) => {
    const found = supersededLine(line)
    expect(found).toEqual({ text, until, by: path === undefined ? undefined : { path, line: at } })
    const again = strikeThrough(line, { until, by: found?.by })
    expect(supersededLine(again), 'striking again changes nothing').toEqual(found)
  })

  it('is Chinese in a Chinese line', () => {
    const by = { path: 'a.md', line: 3, text: '房租是六千' }
    const line = strikeThrough('- 房租是五千 ^id', { until: '2026-11-22', by })
    expect(line).toMatch(/^- ~~房租是五千.*~~（至 2026-11-22，今：\[a\.md:3\]“房租是六千”）/)
    expect(supersededLine(line)).toMatchObject({ until: '2026-11-22', by })
  })

  it('finds the successor by its quoted words after it moved or was struck or marked', () => {
    const by = { path: 'a.md', line: 3, text: quoteOf('- [ ] Rent is “1450” ^[web: x.example, 2026-11-22]') }
    const line = strikeThrough('- Rent is 1200', { until: '2026-11-22', by })
    expect(line).toBe('- ~~Rent is 1200~~ (until 2026-11-22, now: [a.md:3] “Rent is "1450"”)')
    expect(supersededLine(line)).toEqual({ text: 'Rent is 1200', until: '2026-11-22', by })
    expect(matchesQuote('  * Rent is "1450"', by.text)).toBe(true)
    expect(matchesQuote('- ~~Rent is "1450"~~ (until 2026-12-01)', by.text)).toBe(true)
    expect(matchesQuote('- Rent is "1450" and more', by.text)).toBe(false)
    const long = `- ${'many words '.repeat(12)}`
    expect(quoteOf(long)).toMatch(/^many words .*(?:many|words)…$/)
    expect(matchesQuote(`${long} changed at its end`, quoteOf(long))).toBe(true)
    expect(matchesQuote('', by.text)).toBe(false)
  })

  it.each([
    '- ~~struck alone~~',
    '- We use ~~14~~ (until 2026-01-01) 15',
    '- Anna is away (until 2026-01-01)',
    '- ~~a~~ (until 2026-01-01) and b',
  ])('%j holds', (line) => {
    expect(supersededLine(line)).toBeUndefined()
  })

  it.each([
    ['- Boiler code 7781', '- ~~Boiler code 7781~~ (until 2026-11-22)'],
    ['> - quoted', '> - ~~quoted~~ (until 2026-11-22)'],
    ['- [ ] Pay', '- [ ] ~~Pay~~ (until 2026-11-22)'],
  ])('strikes %j as %j', (line, struck) => {
    expect(strikeThrough(line, { until: '2026-11-22', by: undefined })).toBe(struck)
    expect(strikeThrough(line, { until: '2026-11-22', by: { path: 'a.md', line: 3 } })).toBe(
      struck.replace(/\)$/, ', now: [a.md:3])'),
    )
  })

  it.each([
    ['---\nsuperseded: { until: 2026-11-21, by: notes/new.md }\n---\nText', ['2026-11-21', 'notes/new.md', undefined]],
    [
      '---\ntitle: x\nsuperseded:\n  until: "2026-11-21"\n  by: "[notes/new.md:4]"\ntags: []\n---\n',
      ['2026-11-21', 'notes/new.md', 4],
    ],
  ] as const)('reads front matter %j', (text, [until, path, line]) => {
    expect(supersededNote(text)).toEqual({ until, by: path === undefined ? undefined : { path, line } })
  })

  it.each(['---\ntitle: x\n---\nsuperseded: { until: 2026-11-21 }\n', '---\nsuperseded: yes\n---\n'])(
    'treats %j as valid',
    (text) => {
      expect(supersededNote(text)).toBeUndefined()
    },
  )
})
