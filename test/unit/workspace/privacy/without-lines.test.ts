import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeletionPattern } from '../../../../src/main/workspace/deletion/deletion-pattern.ts'
import { withPrivateLines, withoutLines } from '../../../../src/shared/markdown/visibility-edit.ts'
import { visibilityOf } from '../../../../src/shared/markdown/visibility.ts'
import { rounds } from '../../../support/thorough.ts'

describe('withoutLines()', () => {
  it.each([
    ['## S ^[local]\nx\n\ngo\n## T\ny', [0], 'x ^[private]\n\ngo ^[private]\n## T\ny', 'marks each block of a section'],
    ['S ^[local]\n---\nx\n\n- y', [0, 1], 'x ^[private]\n\n- y ^[private]', 'marks each block of a setext section'],
    ['- a ^[local]\n  - b\n  - c\n- d', [0], '  - b ^[private]\n  - c ^[private]\n- d', 'marks nested items'],
    ['a ^[local]\nb\nc\n\nd', [0], 'b\nc ^[private]\n\nd', 'marks the rest of a paragraph'],
    ['a\n```sh\nb # ^[local]\nc\n```', [2], 'a\n<!-- ^[private] -->\n```sh\nc\n```', 'marks the rest of a code block'],
    ['a ^[local]\r\nb\r\n', [0], 'b ^[private]\r\n', 'keeps line ends'],
    ['---\nvisibility: local\n---\nx', [1], '---\nvisibility: private\n---\nx', 'keeps the front matter'],
    ['---\nvisibility: x\n  y\n---\nz', [4], '---\nvisibility: x\n  y\n---', 'keeps an unknown value'],
    ['a ^[local]\nb ^id', [0], 'b ^[private] ^id', 'keeps the block id last'],
  ])('%j without lines %j is %j: %s', (text, gone, expected) => {
    expect(withoutLines(text, new Set(gone))).toBe(expected)
  })

  const line = fc.constantFrom(
    '# a',
    '## b ^[local]',
    '### c',
    'd',
    'e ^[local]',
    '- f',
    '  - g ^[local]',
    '    h',
    '  i',
    '1. j ^[local]',
    '```',
    '``` ^[local]',
    '~~~',
    '',
    '---',
    '===',
    '> k ^[local]',
    '| l | m |',
    'n:: o',
    'visibility: local',
    '<!--',
    '-->',
    '$$',
    '[^1]: p',
    '    q',
    '#\u00A0t',
  )
  /** Gives each line a unique word. */
  const note = fc
    .array(line, { maxLength: 30 })
    .map((lines) => lines.map((one, at) => (/[a-t](?= |$)/.test(one) ? one.replace(/[a-t](?= |$)/, `w${at}`) : one)))
  const privateWords = (text: string) => {
    const { isFullyPrivate, privateLines } = visibilityOf(text)
    const found = text
      .split(/\r?\n/)
      .flatMap((one, at) => (isFullyPrivate || privateLines.has(at) ? (one.match(/\bw\d+\b/g) ?? []) : []))
    return new Set(found)
  }

  const withoutMarks = (text: string) =>
    text.replaceAll(
      /^# \^\[private\]\n|^[ >]*<!-- \^\[private\] -->\n|\n[ >]*<!-- \^\[private\] -->$|(?: #)? \^\[(?:local|private)\]/gm,
      '',
    )

  it('keeps the remaining local text local, for any removed lines', () => {
    fc.assert(
      fc.property(note, fc.array(fc.nat(30)), fc.constantFrom('\n', '\r\n'), (lines, gone, end) => {
        const text = lines.join(end)
        const made = withoutLines(text, new Set(gone))
        const local = privateWords(made)
        for (const word of privateWords(text)) if (new RegExp(`\\b${word}\\b`).test(made)) expect(local).toContain(word)
        // No other text is lost.
        for (const [at, one] of lines.entries())
          if (!gone.includes(at)) for (const word of one.match(/\bw\d+\b/g) ?? []) expect(made).toContain(word)
      }),
      { numRuns: rounds(500, 2000) },
    )
  })

  it('withPrivateLines() makes the requested lines local and changes no other text', () => {
    fc.assert(
      fc.property(note, fc.array(fc.nat(30)), (lines, wanted) => {
        const made = withPrivateLines(lines.join('\n'), (at) => wanted.includes(at))
        const local = privateWords(made)
        for (const at of wanted)
          for (const word of (lines[at] ?? '').match(/\bw\d+\b/g) ?? []) expect(local).toContain(word)
        expect(withoutMarks(made)).toBe(withoutMarks(lines.join('\n')))
      }),
      { numRuns: rounds(500, 2000) },
    )
  })

  it('erasing a phrase keeps privacy markers, and “local” does not match them', () => {
    const phrase = new DeletionPattern(['Kessler'])
    expect(phrase.removeLines('## Kessler ^[local]\n- sugar\n\n## All\n')).toBe('- sugar ^[private]\n\n## All\n')
    expect(phrase.matches(phrase.removeLines('- Kessler ^[local]\n  - sugar\n'))).toBe(false)
    const marks = new DeletionPattern(['local', 'visibility'])
    expect(marks.removeLines('---\nvisibility: local\n---\nthe local shop\n- a ^[local]\n')).toBe(
      '---\nvisibility: local\n---\n- a ^[local]\n',
    )
    expect(marks.matches('- a ^[local]')).toBe(false)
    const words = new DeletionPattern(['private'])
    for (const kept of ['---\nvisibility: private\n---\n- a ^[private]\n', '+++\nvisibility = "private"\n+++\n'])
      expect(words.removeLines(`${kept}the private shop\n`)).toBe(kept)
  })
})
