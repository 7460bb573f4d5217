import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeholder, KnownWords, LocalTextMatcher } from '../../../../src/main/workspace/privacy/local-text-matcher.ts'
import { processorTime } from '../../../support/processor-time.ts'

const netOf = (...lines: string[]) => new LocalTextMatcher(lines.map((text) => ({ path: 'private.md', text })))
const secret = 'Dr. Weber changed the dose to 40 mg on Tuesday.'

describe('LocalNet', () => {
  const net = netOf(
    secret,
    '- 我的银行卡密码是芝麻开门',
    'Yes, twice',
    'PIN 4921',
    '# Meeting notes',
    '王医生说下周再去复查',
  )

  it.each([
    [`I wrote "${secret}" there.`, 'Dr. Weber'],
    [JSON.stringify({ text: `a\n${secret}\nb` }), 'Weber'],
    ['> Dr. Weber changed\n> the dose to **40 mg**\n> on Tuesday', 'Weber'],
    ['DR WEBER CHANGED THE DOSE TO 40 MG', 'WEBER'],
    ['Ｄｒ. Weber changed the dose to ４０ mg', 'Weber'],
    ['so: changed the dose to 40 mg on', 'dose'],
    ['他说我的银行卡密码是芝麻开门。', '密码'],
    ['注意：银行卡密码是芝麻', '密码'],
    ['my PIN 4921 is', '4921'],
    ['a\n* Yes, twice\nb', 'twice'],
    [JSON.stringify('a\nYes, twice\nb'), 'twice'],
  ])('finds local words in %j', (text, gone) => {
    expect(net.contains(text)).toBe(true)
    expect(net.redact(text)).toContain(placeholder)
    expect(net.redact(text)).not.toContain(gone)
  })

  it.each([
    'Summarise my meeting notes.',
    'The dose of Tuesday',
    'Yes',
    '今天下周再去',
    'pin 49',
    '',
    'changed the dose',
  ])('finds none in %j', (text) => {
    expect(net.contains(text)).toBe(false)
    expect(net.redact(text)).toBe(text)
  })

  it('reports the note of a match, and keeps short lines of other notes', () => {
    const paths: string[] = []
    net.redact(`x ${secret} y`, (path) => paths.push(path))
    expect(paths).toEqual(['private.md'])
    expect(net.redact('# Meeting notes\nabc', undefined, { isNote: true })).toBe('# Meeting notes\nabc')
    expect(net.redact('# Meeting notes\nabc')).not.toContain('Meeting')
  })

  it('keeps a few plain words that the user types, but not a code', () => {
    const short = netOf('Thanks!', '谢谢', 'See you', 'tr0ub4dor', 'hunter-two', 'XyZzy', 'PIN 4921')
    const typed = { isTyped: true }
    for (const text of ['Thanks!', '谢谢', 'see you'])
      expect([short.redact(text, undefined, typed), short.contains(text)]).toEqual([text, true])
    for (const text of ['tr0ub4dor', 'hunter-two', 'XyZzy', 'PIN 4921'])
      expect(short.redact(text, undefined, typed)).toBe(placeholder)
  })

  it('keeps words that the reader wrote itself, also in part', () => {
    const known = new KnownWords([`I guess: ${secret}`, 'PIN 4921'])
    expect(net.redact(`a ${secret} b PIN 4921`, undefined, { known })).toBe(`a ${secret} b PIN 4921`)
    expect(net.redact(`a ${secret}\nYes, twice`, undefined, { known })).toBe(`a ${secret}\n${placeholder}`)
  })

  it('removes long local lines wherever and however often they occur', () => {
    const words = fc.stringMatching(/^[a-zA-Z0-9äöé中文字密碼 .,"'\\-]{24,80}$/)
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 8 }),
        fc.array(fc.string(), { maxLength: 6 }),
        fc.nat(),
        (lines, around, seed) => {
          const own = netOf(...lines)
          const parts = lines.flatMap((line, at) => [
            around[(at + seed) % Math.max(1, around.length)] ?? '',
            line,
            line,
          ])
          const letters = (text: string) =>
            text
              .normalize('NFKD')
              .replaceAll(/[^\p{L}\p{N}]/gu, '')
              .toLowerCase()
          const shown = letters(own.redact(parts.join(' ')).replaceAll(placeholder, '|'))
          for (const line of lines) if (letters(line).length >= 20) expect(shown).not.toContain(letters(line))
        },
      ),
    )
  })

  it('searches a million characters for 5,000 lines in less than 400 ms', () => {
    const many = netOf(
      ...Array.from({ length: 5000 }, (_, at) => `Line ${at} says that the ${at * 7} of them went to the harbour`),
    )
    const text = 'All of this is public and has nothing to do with it. '.repeat(20_000)
    expect(many.redact(text)).toBe(text)
    expect(processorTime(() => many.redact(text))).toBeLessThan(400)
  })
})
