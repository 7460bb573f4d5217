import fc from 'fast-check'
import { diffArrays } from 'diff'
import { describe, expect, it } from 'vitest'
import { compareLines } from '../../../src/main/platform/diff/compare-lines.ts'
import { describeChange, revertStatusOfHunks, revertPatch } from '../../../src/main/platform/diff/patch.ts'
import { parseLargeChange } from '../../../src/shared/util/large-change.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', ''), { maxLength: 40 })

function applied(before: readonly string[], after: readonly string[], steps?: number): string[] {
  const text: string[] = []
  let at = 0
  for (const { from, to, newFrom, newTo } of compareLines(before, after, steps)) {
    text.push(...before.slice(at, from), ...after.slice(newFrom, newTo))
    at = to
  }
  return [...text, ...before.slice(at)]
}

describe('line comparison', () => {
  it('produces edits that turn one text into the other, for any limit', () => {
    fc.assert(
      fc.property(lines, lines, fc.option(fc.nat(200), { nil: undefined }), (before, after, steps) => {
        expect(applied(before, after, steps)).toEqual(after)
      }),
    )
  })

  it('finds a shortest edit script within the limit', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const mine = compareLines(before, after).reduce(
          (sum, edit) => sum + edit.to - edit.from + edit.newTo - edit.newFrom,
          0,
        )
        const fewest = diffArrays(before, after).reduce(
          (sum, part) => sum + (part.added || part.removed ? part.count : 0),
          0,
        )
        expect(mine).toBe(fewest)
      }),
    )
  })

  it('returns one edit from the first to the last difference beyond the limit', () => {
    const before = Array.from({ length: 20_000 }, (_, line) => `often ${(line * line) % 7}`)
    const after = [before[0], ...before.slice(1, -1).map((_, line) => `often ${(line * 5) % 7}`), before.at(-1)].map(
      String,
    )
    expect(compareLines(before, after, 1000)).toEqual([{ from: 1, to: 19_999, newFrom: 1, newTo: 19_999 }])
    expect(applied(before, after)).toEqual(after)
  })

  it('reports 5,000 changed lines of 20,000 individually', () => {
    const before = Array.from({ length: 20_000 }, (_, line) => `line ${line % 4 === 0 ? line : line % 7}`)
    const after = before.map((line, at) => (at % 4 === 0 ? `${line}!` : line))
    expect(compareLines(before, after)).toHaveLength(5000)
  })
})

describe('changes', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', '-- x', '@@ y'), { maxLength: 30 })
    .chain((all) => fc.boolean().map((ends) => all.join('\n') + (ends && all.length > 0 ? '\n' : '')))

  it('reverting a patch restores the old text exactly', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { patch } = describeChange('a.md', before, after, { isInHistory: true })
        expect(revertPatch(after, patch)).toBe(before)
      }),
    )
  })

  it.each([
    ['the text with the change', 'a\nb\nL\n', ['there']],
    ['with lines after it', 'a\nb\nL\nM\n', ['there']],
    ['with other lines before it', 'x\na\nb\nL\n', ['there']],
    ['with a changed context line', 'a\nB\nL\n', ['there']],
    ['after it was undone', 'a\nb\n', ['undone']],
    ['with its line changed', 'a\nb\nL2\n', ['changed']],
    ['in an empty text', '', ['changed']],
  ])('reports the status of an added line: %s', (_, text, standings) => {
    const { patch } = describeChange('a.md', 'a\nb\n', 'a\nb\nL\n', { isInHistory: true })
    expect(revertStatusOfHunks(text, patch)).toEqual(standings)
  })

  it('does not restore a removed line twice', () => {
    const { patch } = describeChange('a.md', 'a\nb\nX\n', 'a\nb\n', { isInHistory: true })
    expect(revertStatusOfHunks('a\nb\n', patch)).toEqual(['there'])
    expect(revertStatusOfHunks('a\nb\nX\n', patch)).toEqual(['undone'])
    expect(revertStatusOfHunks('a\nb\nX\nY\n', patch)).toEqual(['undone'])
    expect(revertPatch('a\nb\nX\n', patch)).toBe('a\nb\nX\n')
  })

  it('reverts the remaining hunk after the other one was undone', () => {
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}\n`)
    const before = lines.join('')
    const { patch } = describeChange('a.md', before, `first\n${before}last\n`, { isInHistory: true })
    expect(revertStatusOfHunks(`first\n${before}`, patch)).toEqual(['there', 'undone'])
    expect(revertPatch(`first\n${before}`, patch)).toBe(before)
  })

  it('every hunk can be undone right after a change', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { patch } = describeChange('a.md', before, after, { isInHistory: true })
        expect(revertStatusOfHunks(after, patch).every((standing) => standing === 'there')).toBe(true)
      }),
    )
  })

  it('describes a very large change by line counts and blob ids', () => {
    const before = Array.from({ length: 10_000 }, (_, line) => `old ${line}\n`).join('')
    const after = before.replaceAll('old', 'new')
    const change = describeChange('a.md', before, after, { isInHistory: true })
    expect(change).toMatchObject({ added: 10_000, removed: 10_000, startLine: 1 })
    expect(change.patch.length).toBeLessThan(200)
    expect(parseLargeChange(change.patch)).toMatchObject({ added: 10_000, removed: 10_000 })
    const alone = describeChange('a.md', before, after, { isInHistory: false })
    expect(revertPatch(after, alone.patch)).toBe(before)
  })

  it('does not mistake a text for such a patch', () => {
    const { patch } = describeChange('a.md', '', `index ${'a'.repeat(40)}..${'b'.repeat(40)} +1 -1\n`, {
      isInHistory: true,
    })
    expect(parseLargeChange(patch)).toBeUndefined()
  })
})
