/** Line edits: find, apply, diff. */
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextLines, editsOverlap } from '../../../src/main/curation/suggestions/line-edits.ts'

const edit = (line: number, before: string[], after: string[]) => ({ line, before, after })

describe('line edits', () => {
  it.each([
    ['a\nb\nc\n', [edit(2, ['b'], ['x', 'y'])], 'a\nx\ny\nc\n'],
    ['a\r\nb\r\nc', [edit(2, ['b'], ['x'])], 'a\r\nx\r\nc'],
    ['a\nb\n', [edit(1, ['a'], ['a', 'x']), edit(1, ['a'], ['a', 'y'])], 'a\nx\ny\nb\n'],
    ['a\r\nb', [edit(2, ['b'], ['b', 'x'])], 'a\r\nb\r\nx'],
  ])(' %j', (text, edits, after) => {
    expect(new TextLines(text).apply(edits)).toBe(after)
  })

  it('finds moved lines at the nearest place; undefined if they are gone', () => {
    const lines = new TextLines('x\na\nb\na\nb\n')
    const places = [lines.find(['a', 'b'], 4), lines.find(['a', 'b'], 1), lines.find(['a'], 9), lines.find(['c'], 1)]
    expect(places).toEqual([4, 2, 4, undefined])
  })

  it('edits of the same lines overlap; insertions at one place and neighbours do not', () => {
    expect(editsOverlap(edit(2, ['b'], []), edit(2, ['b'], ['x']))).toBe(true)
    expect(editsOverlap(edit(1, ['a', 'b'], []), edit(2, ['b'], ['b', 'x']))).toBe(false)
    expect(editsOverlap(edit(1, ['a'], ['a', 'x']), edit(1, ['a'], ['a', 'y']))).toBe(false)
    expect(editsOverlap(edit(1, ['a'], []), edit(2, ['b'], []))).toBe(false)
    expect(editsOverlap(edit(1, ['a', 'b', 'c'], []), edit(2, ['b'], ['b', 'x']))).toBe(true)
  })

  it('the patch matches the edits', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', '- d')
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(11), fc.array(line, { maxLength: 3 })), { minLength: 1, maxLength: 4 }),
        (drawn, changes) => {
          // All lines differ: among equal ones a diff is ambiguous.
          const lines = drawn.map((text, at) => `${text}${at}`)
          const places = new Map(changes.map(([at, after]) => [at % lines.length, after]))
          const edits = [...places].map(([at, after]) => edit(at + 1, [lines[at] ?? ''], after))
          const text = `${lines.join('\n')}\n`
          const texts = new TextLines(text)
          const after = texts.apply(edits)
          if (after !== text) expect(applyPatch(text, texts.patch('a.md', edits))).toBe(after)
        },
      ),
    )
  })
})
