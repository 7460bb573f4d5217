import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isHidden,
  isInstruction,
  isNote,
  isPortable,
  isUsable,
  nameFor,
} from '../../../src/main/workspace/files/file-names.ts'
import { rounds } from '../../support/thorough.ts'

describe('names', () => {
  it.each(['a.md', 'A.MARKDOWN', 'notes/b.md', '日记.md'])('%s is a note', (path) => {
    expect(isNote(path)).toBe(true)
  })

  it.each([
    'a.sh',
    'md',
    'a.md.exe',
    'a.md.',
    'a.md ',
    'CMakeLists.txt',
    'test_notes.txt',
    'c.csv',
    'a.json',
    'a.html',
  ])('%s is none', (path) => {
    expect(isNote(path)).toBe(false)
  })

  it.each(['.git', '.GIT', '.g\u200cit', '\u200c.git', '\ufeff.env', '..a', '.'])('%j is hidden', (name) => {
    expect(isHidden(name)).toBe(true)
  })

  it.each([
    'con',
    'CON.md',
    'aux.tar.md',
    'com1.md',
    'LPT².txt',
    'a:b',
    'a.',
    'a ',
    '-a',
    '~a',
    'GIT~1',
    'a\u202eb',
    '',
  ])('%j is no name for a new file', (name) => {
    expect(isPortable(name)).toBe(false)
  })

  it.each(['console.md', 'a-b.md', 'a~b.md', '…and then.md', '👨‍👩‍👧.md', 'a.b.c.md', 'communal.md'])(
    '%j is one',
    (name) => {
      expect(isPortable(name)).toBe(true)
      expect(isHidden(name)).toBe(false)
    },
  )

  it('a name of 255 bytes can be asked for, one of 256 cannot, whatever its letters', () => {
    expect(isUsable('x'.repeat(255), 'linux')).toBe(true)
    expect(isUsable('x'.repeat(256), 'linux')).toBe(false)
    expect(isUsable('字'.repeat(86), 'linux')).toBe(false)
  })

  it('every text makes a name that every system takes', () => {
    const nasty = fc.stringMatching(/^[-~. :/\\*?"<>|\n\u200c\u202e\ufeff\ud800CONaux1字]{0,40}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), nasty), (text) => {
        const name = nameFor(text, 'Note')
        expect(isPortable(`${name}.md`)).toBe(true)
        expect(isPortable(name)).toBe(true)
        expect(isHidden(name)).toBe(false)
        expect(nameFor(name, 'Note')).toBe(name)
      }),
      { numRuns: rounds(400, 2000) },
    )
  })
})

describe('what other programs’ agents obey', () => {
  it.each([
    ['AGENTS.md', false],
    ['memory/claude.md', true],
    ['CLAUDE.md', true],
    ['docs/AGENTS.md', true],
    ['AGENTS.override.md', true],
    ['skills/x/SKILL.md', true],
    ['memory/agents of change.md', false],
    ['notes/claude and me.md', false],
  ])('%s tells other agents what to do: %s', (path, expected) => {
    expect(isInstruction(path)).toBe(expected)
  })
})
