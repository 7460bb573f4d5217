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
  it.each(['a.md', '日记.md'])('%s is a note', (path) => {
    expect(isNote(path)).toBe(true)
  })

  it.each(['a.sh', 'md', 'a.md.exe', 'CMakeLists.txt', 'c.csv'])('%s is not a note', (path) => {
    expect(isNote(path)).toBe(false)
  })

  it.each(['.git', '.GIT', '.g\u200cit', '..a'])('%j is hidden', (name) => {
    expect(isHidden(name)).toBe(true)
  })

  it.each(['CON.md', 'LPT².txt', 'a:b', 'a ', '-a', 'GIT~1', 'a\u202eb', ''])('%j is not portable', (name) => {
    expect(isPortable(name)).toBe(false)
  })

  it.each(['console.md', 'a~b.md', '👨‍👩‍👧.md'])('%j is portable', (name) => {
    expect(isPortable(name)).toBe(true)
    expect(isHidden(name)).toBe(false)
  })

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
    ['MEMORY.markdown', 'this'],
    ['me\u200bmory.md', 'this'],
    ['people/User.md', undefined],
    ['memory/claude.md', 'other'],
    ['CLAUDE.md', 'other'],
    ['docs/AGENTS.mkd', 'other'],
    ['skills/x/SKILL.md', 'other'],
    ['CLAUDE.txt', undefined],
    ['memory/agents of change.md', undefined],
  ])('followerOf(%s) is %s', (path, expected) => {
    expect(followerOf(path)).toBe(expected)
  })

  it.each([
    ['own/User.mdown', 'this'],
    ['AGENTS.md', 'other'],
  ])('with the agent’s files in another folder, followerOf(%s) is %s', (path, expected) => {
    expect(followerOf(path, 'own')).toBe(expected)
  })
})
