import { describe, expect, it } from 'vitest'
import { blame } from '../../../src/main/workspace/changes/queries.ts'
import { mergeKeepingBoth } from '../../../src/main/platform/diff/merge-texts.ts'

describe('blame()', () => {
  it('attributes each line to the change that wrote it', () => {
    const versions = [
      { id: 'a', text: 'one\ntwo\n' },
      { id: 'b', text: 'zero\none\ntwo\n' },
      { id: 'c', text: 'zero\none\nTWO\nthree\n' },
    ]
    expect(blame(versions)).toEqual(['b', 'a', 'c', 'c'])
  })

  it('attributes a restored line to the change that restored it', () => {
    expect(
      blame([
        { id: 1, text: 'x\ny' },
        { id: 2, text: 'x' },
        { id: 3, text: 'x\r\ny' },
      ]),
    ).toEqual([1, 3])
    expect(blame([])).toEqual([])
  })
})

describe('mergeBoth()', () => {
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
})
