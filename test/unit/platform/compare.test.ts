import fc from 'fast-check'
import { diffArrays } from 'diff'
import { describe, expect, it } from 'vitest'
import { compareLines } from '../../../src/main/platform/diff/compare-lines.ts'
import { revertInText } from '../../../src/main/platform/diff/merge-texts.ts'
import { describeChange, hunkStatuses, withoutHunks } from '../../../src/main/platform/diff/patch.ts'
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
})

describe('changes', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', '-- x', '@@ y'), { maxLength: 30 })
    .chain((all) => fc.boolean().map((ends) => all.join('\n') + (ends && all.length > 0 ? '\n' : '')))

  /** Reverts hunks of a change, or all. @returns false if their lines have changed since */
  const revert = (before: string, after: string, current: string, hunks?: number[]) => {
    const result = revertInText(after, current, hunks ? withoutHunks(before, after, hunks) : before)
    return 'text' in result && result.text
  }

  it('reverting a change restores the old text exactly', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(revert(before, after, after)).toBe(before)
        const hunks = hunkStatuses(before, after, after).map((_, index) => index)
        expect(hunks ? withoutHunks(before, after, hunks) : before).toBe(before)
        expect(withoutHunks(before, after, [])).toBe(after)
      }),
    )
  })

  it('describes a very large change by line counts, as one hunk', () => {
    const before = Array.from({ length: 10_000 }, (_, line) => `old ${line}\n`).join('')
    const after = before.replaceAll('old', 'new')
    const change = describeChange('a.md', before, after)
    expect(change).toMatchObject({ added: 10_000, removed: 10_000, startLine: 1 })
    expect(change.patch.length).toBeLessThan(200)
    expect(parseLargeChange(change.patch)).toEqual({ added: 10_000, removed: 10_000 })
    expect(hunkStatuses(before, after, `${after}more\n`)).toEqual(['there'])
    expect(revert(before, after, `${after}more\n`, [0])).toBe(`${before}more\n`)
  })
})
