import { describe, expect, it } from 'vitest'
import { dailyLogDate, fileKind, isMemoryPath, exclusionReason } from '../../../src/main/workspace/files/layout.ts'
import { normalizePath } from '../../../src/main/workspace/files/paths.ts'
import { mergeKeepingBoth, mergeTexts } from '../../../src/main/platform/diff/merge-texts.ts'
import fc from 'fast-check'

describe('workspace layout', () => {
  it.each([
    ['MEMORY.md', 'memory', true],
    ['memory/2026-01-20.md', 'log', true],
    ['memory/2026-01-20-api-review.md', 'log', true],
    ['memory/projects/acme.md', 'note', true],
    ['AGENTS.md', 'project', false],
    ['notes/idea.md', 'note', false],
  ])('classifies %s as %s', (path, kind, isMemory) => {
    expect(fileKind(path)).toBe(kind)
    expect(isMemoryPath(path)).toBe(isMemory)
  })

  it.each([
    ['MEMORY.md', undefined, undefined],
    ['memory/rescued/2026-01-20.md', undefined, undefined],
    ['notes/idea.md', undefined, 'scope'],
    ['AGENTS.md', 'project', 'project'],
    ['.trash/old.md', 'hidden', 'hidden'],
    ['site/node_modules/p/README.md', 'hidden', 'hidden'],
    ['notes/table.csv', 'notMarkdown', 'notMarkdown'],
  ])('unsearchedFor(%s) is %s in the scope workspace and %s in the scope memory', (path, whole, narrow) => {
    expect(exclusionReason(path, 'workspace')).toBe(whole)
    expect(exclusionReason(path, 'memory')).toBe(narrow)
  })

  it('returns the day of a log, with or without a slug', () => {
    expect(dailyLogDate('memory/2026-01-20-api.md')).toBe('2026-01-20')
    expect(dailyLogDate('memory/notes.md')).toBeUndefined()
    expect(dailyLogDate('other/2026-01-20.md')).toBe('2026-01-20')
    expect(dailyLogDate('other/2026-01-20-api.md')).toBeUndefined()
    expect(dailyLogDate('memory/rescued/2026-01-20.md')).toBeUndefined()
  })
})

describe('normalizeRequest()', () => {
  it.each(['../../etc/passwd', 'C:\\Windows\\x', 'memory/..\\..\\x', ''])('refuses %j', (path) => {
    expect(() => normalizePath(path)).toThrow(expect.objectContaining({ code: 'path_outside_workspace' }))
  })

  it.each([
    ['memory//2026-01-20.md', 'memory/2026-01-20.md'],
    ['./MEMORY.md', 'MEMORY.md'],
    ['memory\\x.md', 'memory/x.md'],
    ['记忆/笔记 📝.md', '记忆/笔记 📝.md'],
    ['..hidden/x.md', '..hidden/x.md'],
  ])('accepts %j', (path, clean) => {
    expect(normalizePath(path)).toBe(clean)
  })
})

describe('three-way merge', () => {
  const base = 'one\ntwo\nthree\nfour\nfive\n'

  it('merges changes that do not overlap', () => {
    expect(mergeTexts(base, 'ONE\ntwo\nthree\nfour\nfive\n', `${base}six\n`)).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\n')
    expect(mergeTexts(base, 'one\nthree\nfour\nfive\n', 'one\ntwo\nthree\nfour\nFIVE\n')).toBe(
      'one\nthree\nfour\nFIVE\n',
    )
  })

  it('refuses changes of the same lines, and applies equal changes once', () => {
    expect(mergeTexts(base, 'one\nmine\nthree\nfour\nfive\n', 'one\ntheirs\nthree\nfour\nfive\n')).toBeUndefined()
    expect(mergeTexts(base, 'one\nsame\nthree\nfour\nfive\n', 'one\nsame\nthree\nfour\nfive\n')).toBe(
      'one\nsame\nthree\nfour\nfive\n',
    )
  })

  it('returns the change when the other side changed nothing, for any text', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (from, to) => {
        expect(mergeTexts(from, to, from)).toBe(to)
        expect(mergeTexts(from, from, to)).toBe(to)
      }),
    )
  })

  it.each([
    ['a\nb\n', 'a\nmine\n', 'a\ntheirs\n', 'a\nmine\ntheirs\n'],
    ['a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n', 'A\nb\nc\nD\n'],
    ['a\n', 'a\nsame\n', 'a\nsame\n', 'a\nsame\n'],
    ['a', 'mine', 'theirs', 'mine\ntheirs'],
    ['', 'mine\n', 'theirs\n', 'mine\ntheirs\n'],
    ['a\nb\n', 'a\n', 'a\nB\n', 'a\nB\n'],
  ])('merges base %j, mine %j and theirs %j into %j', (base, mine, theirs, expected) => {
    expect(mergeKeepingBoth(base, mine, theirs)).toBe(expected)
  })

  it('keeps both of two separate edits, and adds no line that neither side has, for any text', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 8 })
    const whole = (...parts: readonly string[][]) =>
      parts
        .flat()
        .map((line) => `${line}\n`)
        .join('')
    fc.assert(
      fc.property(lines, lines, lines, lines, lines, (first, middle, last, mine, theirs) => {
        // Unique lines keep the two edits apart.
        const between = ['== 1', ...middle, '== 2']
        const [base, one, other] = [
          whole(first, between, last),
          whole(mine, between, last),
          whole(first, between, theirs),
        ]
        expect(mergeTexts(base, one, other)).toBe(whole(mine, between, theirs))
        expect(mergeKeepingBoth(base, one, other)).toBe(whole(mine, between, theirs))
      }),
    )
    fc.assert(
      fc.property(lines, lines, lines, (from, mine, theirs) => {
        const merged = mergeKeepingBoth(whole(from), whole(mine), whole(theirs)).split('\n')
        expect(new Set([...mine, ...theirs, '']).isSupersetOf(new Set(merged))).toBe(true)
      }),
    )
  })
})
