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

  it.each(['Summary of the chat [sessions/a1.jsonl]', '对话 [sessions/a1.jsonl] 的摘要'])(
    'leaves out the line that names the chat of a summary: %s',
    (line) => {
      const summary = note('# 2026-01-20: gate code', '', line, '', '- The code is 4711 [sessions/a1.jsonl:3]')
      const text = 'The code is 4711 [sessions/a1.jsonl:3]'
      expect(only(summary)).toMatchObject({ text, heading: '2026-01-20: gate code', startLine: 5 })
      expect(brief(`---\nvisibility: private\n---\n\n${summary}`)).toEqual([
        ['2-2', 'visibility: private'],
        ['9-9', text],
      ])
    },
  )

  it('keeps a sentence of the user that cites a chat', () => {
    const cited = 'We chose Lisbon in [sessions/a1.jsonl].'
    expect(brief(note('# Trip', '', cited))).toEqual([['3-3', cited]])
    const below = note('# 2026-01-20: trip', '', 'Summary [sessions/a1.jsonl]', '', cited)
    expect(brief(below)).toEqual([['5-5', cited]])
    expect(brief(note('# 2026-01-20: trip', '', '- Lisbon', '', cited))).toHaveLength(2)
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

  it('gives text after a nested list the text of its own item as context', () => {
    const units = splitUnits(note('- garden', '  - beds', '', '  later'))
    expect(units.map(({ text, context }) => [text, context])).toEqual([
      ['garden', ''],
      ['beds', 'garden'],
      ['later', 'garden'],
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

  it('makes the header of a table without rows a unit', () => {
    expect(only(note('| key | hook |', '|---|---|'))).toMatchObject({ text: 'key | hook', context: '', startLine: 1 })
  })

  it('keeps fenced code as it is, without fences, and finds no headings or items in it', () => {
    const code = only(note('```sh', '# no heading', '- no item', '', 'npm ci', '```'))
    expect(code).toMatchObject({ kind: 'code', startLine: 2, endLine: 5, text: '# no heading\n- no item\n\nnpm ci' })
  })

  it('keeps the last line of code whose fence is not closed', () => {
    expect(only(note('```', 'first', 'last'))).toMatchObject({ text: 'first\nlast', endLine: 3 })
  })

  it('keeps a quotation with several paragraphs in one unit', () => {
    expect(brief(note('> one', '> two', '>', '> three', '', 'after'))).toEqual([
      ['1-4', 'one\ntwo\nthree'],
      ['6-6', 'after'],
    ])
  })

  it('makes front matter one unit of code without its fences', () => {
    const units = splitUnits(note('---', 'title: Boiler', 'tags: [house]', '---', 'text'))
    expect(units[0]).toMatchObject({ kind: 'code', startLine: 2, endLine: 3, text: 'title: Boiler\ntags: [house]' })
  })

  it('leaves out lines without letters and digits', () => {
    expect(brief(note('one', '', '***', '', '- ', '…'))).toEqual([['1-1', 'one']])
  })

  it('numbers the entries, with one number for all parts of a long entry', () => {
    const units = splitUnits(note('short', '', 'A long sentence about walruses. '.repeat(30), '', 'last'))
    expect(new Set(units.map(({ entry }) => entry))).toEqual(new Set([0, 1, 2]))
    expect(units.filter(({ entry }) => entry === 1).length).toBeGreaterThan(2)
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

  it('makes the innermost of several headings without text a unit, and none of those around it', () => {
    const units = splitUnits(note('# House', '### Valve', '## Boiler', '# Garden', '## Beds'))
    expect(units.map(({ startLine, text, heading }) => [startLine, text, heading])).toEqual([
      [2, 'Valve', 'House'],
      [3, 'Boiler', 'House'],
      [5, 'Beds', 'Garden'],
    ])
  })

  it('keeps the lines of an underlined heading without content', () => {
    expect(only(note('Plans for', 'the summer', '==='))).toMatchObject({ kind: 'heading', startLine: 1, endLine: 2 })
  })

  it('reads headings that are underlined', () => {
    expect(only(note('House', '=====', 'Boiler', '------', 'old'))).toMatchObject({
      text: 'old',
      heading: 'House › Boiler',
    })
  })
})

describe('lines', () => {
  it('numbers lines the same with every kind of line end and a byte order mark', () => {
    const text = note('# House', '', '- one', '- two', '', 'three')
    for (const end of ['\n', '\r\n', '\r'])
      for (const mark of ['', '\uFEFF']) expect(splitUnits(mark + text.replaceAll('\n', end))).toEqual(splitUnits(text))
  })

  it('finds the heading, the item or the front matter after a byte order mark', () => {
    expect(only('\uFEFF- one')?.text).toBe('one')
    expect(only('\uFEFF# House\ntext')?.heading).toBe('House')
    expect(splitUnits('\uFEFF---\ntitle: x\n---\n')[0]?.kind).toBe('code')
  })
})

describe('long entries', () => {
  it.each([
    ['The walrus swam far out to the cold sea today. ', /sea today\.$/],
    ['今天海象游到很远的冷海里去了。', /去了。$/],
    ['오늘 바다코끼리는 먼 바다로 갔다. ', /갔다\.$/],
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

  it('gives each part the lines that it comes from', () => {
    const lines = Array.from(
      { length: 12 },
      (_, at) => `Sentence ${at + 1} tells about the weather of one more day in the year.`,
    )
    for (const unit of splitUnits(lines.join('\n')))
      expect(unit.text).toBe(lines.slice(unit.startLine - 1, unit.endLine).join('\n'))
  })

  it('divides code at blank lines', () => {
    const block = (name: string) =>
      Array.from({ length: 8 }, (_, at) => `const ${name}${at} = compute(${at})`).join('\n')
    const units = splitUnits(`\`\`\`\n${block('first')}\n\n${block('second')}\n\n${block('third')}\n\`\`\`\n`)
    expect(units.map(({ text }) => text)).toEqual([block('first'), block('second'), block('third')])
    expect(units.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [2, 9],
      [11, 18],
      [20, 27],
    ])
  })

  it('divides a line without sentences, at white space and not inside a character', () => {
    for (const text of ['word '.repeat(1000), 'a'.repeat(4001), '𠮷'.repeat(2000), `a${'𠮷'.repeat(2000)}`]) {
      const units = splitUnits(text)
      expect(Math.max(...units.map((unit) => unit.text.length))).toBeLessThanOrEqual(450)
      expect(units.every((unit) => unit.text.isWellFormed())).toBe(true)
      expect(
        units
          .map((unit) => unit.text)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(text.replaceAll(' ', ''))
    }
  })

  it('divides a line of millions of characters', () => {
    expect(splitUnits('a'.repeat(4_000_000)).length).toBeGreaterThan(10_000)
  })
})

describe('speakers', () => {
  it('labels dialogue lines whose speaker occurs twice', () => {
    const units = splitUnits(note('- Ana: hello', '- Ben Ray: hi', '- **Ana:** bye', '- Note: once', '- Ben Ray：再见'))
    expect(units.map(({ label }) => label)).toEqual(['Ana', 'Ben Ray', 'Ana', '', 'Ben Ray'])
  })

  it('takes no property for a speaker', () => {
    const units = splitUnits(note('- owner:: Ana', '- owner:: Ben', '- owner:: Ana'))
    expect(units.map(({ label }) => label)).toEqual(['', '', ''])
  })

  it('labels every part of a long dialogue line', () => {
    const units = splitUnits(note(`Ana: ${'I walked along the river today. '.repeat(30)}`, '', 'Ana: bye'))
    expect(units.length).toBeGreaterThan(3)
    expect(new Set(units.map(({ label }) => label))).toEqual(new Set(['Ana']))
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
  const cases = Array.from({ length: 400 }, (_, seed) => {
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
