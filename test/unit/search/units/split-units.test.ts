import { describe, expect, it } from 'vitest'
import { splitUnits } from '../../../../src/main/search/units/split-units.ts'
import type { Unit } from '../../../../src/main/search/units/unit.ts'
import { blocksOfNote } from '../../../../src/shared/markdown/blocks/scan-blocks.ts'
import { randomOf } from '../../../support/random.ts'

const note = (...lines: string[]) => `${lines.join('\n')}\n`
const brief = (text: string) => splitUnits(text).map((unit) => [`${unit.startLine}-${unit.endLine}`, unit.text])
const only = (text: string): Unit | undefined => {
  const units = splitUnits(text)
  expect(units).toHaveLength(1)
  return units[0]
}

describe('entries of a note', () => {
  it('makes each list item a unit, without its marker and box', () => {
    expect(brief(note('- milk', '* eggs', '3. flour', '- [ ] call Ana', '- [x] paint'))).toEqual([
      ['1-1', 'milk'],
      ['2-2', 'eggs'],
      ['3-3', 'flour'],
      ['4-4', 'call Ana'],
      ['5-5', 'paint'],
    ])
  })

  it('leaves out the line that names the chat of a summary', () => {
    const link = 'Summary of the chat [sessions/a1.jsonl]'
    const summary = note('# 2026-01-20: gate code', '', link, '', '- The code is 4711 [sessions/a1.jsonl:3]')
    const text = 'The code is 4711 [sessions/a1.jsonl:3]'
    expect(only(summary)).toMatchObject({ text, heading: '2026-01-20: gate code', startLine: 5 })
  })

  it('joins an item with its continuation lines and paragraphs', () => {
    expect(brief(note('- one', '  goes on', '', '  and ends', '- two'))).toEqual([
      ['1-4', 'one\ngoes on\nand ends'],
      ['5-5', 'two'],
    ])
  })

  it('gives nested items the texts of their parents as context', () => {
    const units = splitUnits(note('- garden', '  more', '  - beds', '    - carrots', '- house'))
    expect(units.map(({ text, context }) => [text, context])).toEqual([
      ['garden\nmore', ''],
      ['beds', 'garden more'],
      ['carrots', 'garden more beds'],
      ['house', ''],
    ])
  })

  it('repeats at most 300 characters of a parent item, a heading and a header of a table', () => {
    const long = 'x'.repeat(1000)
    for (const text of [
      note(`- ${long}`, '  - child'),
      note(`# ${long}`, '', 'child'),
      note(`|${long}|`, '|-|', '|child|'),
    ])
      expect(splitUnits(text).find((unit) => unit.text === 'child')).toSatisfy(
        ({ context, heading }: Unit) => context.length + heading.length === 300,
      )
  })

  it('separates paragraphs at blank lines and keeps their lines together', () => {
    expect(brief(note('one', 'two', '', 'three'))).toEqual([
      ['1-2', 'one\ntwo'],
      ['4-4', 'three'],
    ])
  })

  it('makes each row of a table a unit with the header as context', () => {
    const units = splitUnits(note('| key | hook |', '|---|---|', '| cellar | third |', '| attic | first |'))
    expect(units.map(({ startLine, text, context }) => [startLine, text, context])).toEqual([
      [3, 'cellar | third', 'key | hook'],
      [4, 'attic | first', 'key | hook'],
    ])
  })

  it('keeps fenced code as it is, without fences, and finds no headings or items in it', () => {
    const code = only(note('```sh', '# no heading', '- no item', '', 'npm ci', '```'))
    expect(code).toMatchObject({ kind: 'code', startLine: 2, endLine: 5, text: '# no heading\n- no item\n\nnpm ci' })
  })

  it('makes front matter one unit of code without its fences', () => {
    const units = splitUnits(note('---', 'title: Boiler', 'tags: [house]', '---', 'text'))
    expect(units[0]).toMatchObject({ kind: 'code', startLine: 2, endLine: 3, text: 'title: Boiler\ntags: [house]' })
  })
})

describe('headings', () => {
  it('gives each unit the titles above it, outermost first', () => {
    const units = splitUnits(note('# House', '', '## Boiler', 'old', '### Valve', 'new', '# Garden', 'beds'))
    expect(units.map(({ text, heading }) => [text, heading])).toEqual([
      ['old', 'House › Boiler'],
      ['new', 'House › Boiler › Valve'],
      ['beds', 'Garden'],
    ])
  })

  it('ends an entry of a log at the next entry of one line', () => {
    const units = splitUnits(note('# 2026-01-20', '## 09:00 - Boiler', 'old', '- new', '- 09:30 Tea', '- 09:31 Rent'))
    expect(units.map(({ text, heading }) => [text, heading])).toEqual([
      ['old', '2026-01-20 › 09:00 - Boiler'],
      ['new', '2026-01-20 › 09:00 - Boiler'],
      ['09:30 Tea', '2026-01-20'],
      ['09:31 Rent', '2026-01-20'],
    ])
    const agenda = splitUnits(note('## Agenda', '- 09:30 Tea'))
    expect(agenda.map(({ heading }) => heading)).toEqual(['Agenda'])
  })

  it('makes a heading a unit only if nothing follows', () => {
    const units = splitUnits(note('# House', '## Empty', '## Full', 'text', '# Last'))
    expect(units.map(({ startLine, kind, text, heading }) => [startLine, kind, text, heading])).toEqual([
      [2, 'heading', 'Empty', 'House'],
      [4, 'text', 'text', 'House › Full'],
      [5, 'heading', 'Last', ''],
    ])
  })
})

describe('lines', () => {
  it('numbers lines the same with every kind of line end and a byte order mark', () => {
    const text = note('# House', '', '- one', '- two', '', 'three')
    for (const end of ['\n', '\r\n', '\r'])
      for (const mark of ['', '\uFEFF']) expect(splitUnits(mark + text.replaceAll('\n', end))).toEqual(splitUnits(text))
  })
})

describe('long entries', () => {
  it.each([
    ['The walrus swam far out to the cold sea today. ', /sea today\.$/],
    ['今天海象游到很远的冷海里去了。', /去了。$/],
  ])('divides %s at the ends of sentences', (sentence, end) => {
    const units = splitUnits(sentence.repeat(60))
    expect(units.length).toBeGreaterThan(2)
    for (const { text } of units) {
      expect(text).toMatch(end)
      expect(text.length).toBeLessThanOrEqual(300)
    }
    expect(
      units
        .map(({ text }) => text)
        .join('')
        .replaceAll(' ', ''),
    ).toBe(sentence.repeat(60).replaceAll(' ', ''))
  })
})

describe('speakers', () => {
  it('labels dialogue lines whose speaker occurs twice', () => {
    const units = splitUnits(note('- Ana: hello', '- Ben Ray: hi', '- **Ana:** bye', '- Note: once', '- Ben Ray：再见'))
    expect(units.map(({ label }) => label)).toEqual(['Ana', 'Ben Ray', 'Ana', '', 'Ben Ray'])
  })
})

describe('random notes', () => {
  const pieces = [
    '# One',
    '## Two',
    '### Three',
    '- item',
    '- [ ] task',
    '  - nested',
    '    - deep',
    '  goes on',
    '1. first',
    'text of a line',
    'more text.',
    '',
    '',
    '',
    '> quoted',
    '> - item',
    '| a | b |',
    '|---|---|',
    '| c | d |',
    '```',
    '```js',
    'code()',
    '    indented',
    'Title',
    '===',
    '---',
    '***',
    'Ana: hello',
    '[^1]: note',
    '<div>',
    '今天海象游到很远的冷海里去了。'.repeat(30),
    'The walrus swam far out to sea. '.repeat(20),
    'w'.repeat(1000),
  ]
  const cases = Array.from({ length: 100 }, (_, seed) => {
    const random = randomOf(seed)
    const pick = () => pieces[Math.floor(random() * pieces.length)] ?? ''
    return { seed, lines: Array.from({ length: 1 + Math.floor(random() * 40) }, pick) }
  })

  it.each(cases)('covers each line of content, crosses no heading and ascends ($seed)', ({ lines }) => {
    const units = splitUnits(lines.join('\n'))
    const headings = new Set<number>()
    const content = new Set<number>()
    for (const block of blocksOfNote(lines)) {
      if (block.kind === 'heading') for (let line = block.from; line < block.to; line += 1) headings.add(line + 1)
      if (block.kind === 'paragraph' || block.kind === 'indentedCode')
        for (let line = block.from; line < block.to; line += 1)
          if (/[\p{L}\p{N}]/u.test(lines[line] ?? '')) content.add(line + 1)
    }
    for (const line of content)
      expect(
        units.filter(({ startLine, endLine }) => startLine <= line && endLine >= line),
        `line ${line}`,
      ).not.toEqual([])
    let [lastStart, lastEnd, lastEntry] = [0, 0, -1]
    for (const { startLine, endLine, entry, kind, text } of units) {
      expect(endLine).toBeGreaterThanOrEqual(startLine)
      expect(startLine).toBeGreaterThanOrEqual(lastStart)
      if (entry !== lastEntry) expect(startLine).toBeGreaterThan(lastEnd)
      ;[lastStart, lastEnd, lastEntry] = [startLine, endLine, entry]
      if (kind !== 'heading')
        for (let line = startLine; line <= endLine; line += 1) expect(headings.has(line)).toBe(false)
      const source = lines.slice(startLine - 1, endLine).join('')
      for (const word of text.match(/[\p{L}\p{N}]+/gu) ?? []) expect(source).toContain(word)
    }
  })
})
