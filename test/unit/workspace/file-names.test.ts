import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isHidden,
  followerOf,
  isNote,
  isPortable,
  isUsable,
  toFileName,
} from '../../../src/main/workspace/files/file-names.ts'
import { rounds } from '../../support/thorough.ts'

describe('file names', () => {
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
  ])('%s is not a note', (path) => {
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
  ])('%j is not portable', (name) => {
    expect(isPortable(name)).toBe(false)
  })

  it.each(['console.md', 'a-b.md', 'a~b.md', '…and then.md', '👨‍👩‍👧.md', 'a.b.c.md', 'communal.md'])(
    '%j is portable',
    (name) => {
      expect(isPortable(name)).toBe(true)
      expect(isHidden(name)).toBe(false)
    },
  )

  it('accepts names of at most 255 bytes in any script', () => {
    expect(isUsable('x'.repeat(255), 'linux')).toBe(true)
    expect(isUsable('x'.repeat(256), 'linux')).toBe(false)
    expect(isUsable('字'.repeat(86), 'linux')).toBe(false)
  })

  it('makes a portable name from any text', () => {
    const nasty = fc.stringMatching(/^[-~. :/\\*?"<>|\n\u200c\u202e\ufeff\ud800CONaux1字]{0,40}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), nasty), (text) => {
        const name = toFileName(text, 'Note')
        expect(isPortable(`${name}.md`)).toBe(true)
        expect(isPortable(name)).toBe(true)
        expect(isHidden(name)).toBe(false)
        expect(toFileName(name, 'Note')).toBe(name)
      }),
      { numRuns: rounds(400, 2000) },
    )
  })
})

describe('followerOf()', () => {
  it.each([
    ['AGENTS.md', 'this'],
    ['agents.MARKDOWN', 'this'],
    ['MEMORY.markdown', 'this'],
    ['memory.mkd', 'this'],
    ['me\u200bmory.md', 'this'],
    ['people/User.md', undefined],
    ['notes/Tools.md', undefined],
    ['memory/claude.md', 'other'],
    ['CLAUDE.md', 'other'],
    ['Claude.local.markdown', 'other'],
    ['docs/AGENTS.mkd', 'other'],
    ['deep/er/soul.md', 'other'],
    ['AGENTS.override.md', 'other'],
    ['skills/x/SKILL.md', 'other'],
    ['GEMINI.mdc', 'other'],
    ['CLAUDE.txt', undefined],
    ['memory/agents of change.md', undefined],
    ['notes/claude and me.md', undefined],
  ])('followerOf(%s) is %s', (path, expected) => {
    expect(followerOf(path)).toBe(expected)
  })

  it.each([
    ['own/User.mdown', 'this'],
    ['OWN/AGENTS.md', 'this'],
    ['AGENTS.md', 'other'],
    ['MEMORY.md', undefined],
  ])('with the agent’s files in another folder, followerOf(%s) is %s', (path, expected) => {
    expect(followerOf(path, 'own')).toBe(expected)
  })
})
