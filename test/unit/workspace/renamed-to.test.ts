import { describe, expect, it } from 'vitest'
import { renamedTo } from '../../../src/main/workspace/history/history-queries.ts'

type File = [path: string, before: string | null, after: string | null]

const outside = (at: number, ...files: File[]) => ({
  commit: `${at}`,
  at: at * 1000,
  cause: 'outside' as const,
  files: files.map(([path, before, after]) => ({ path, before, after, added: 1, removed: before === null ? 0 : 1 })),
})
const gone: File = ['in/a.md', 'x', null]

const table = [
  ['a new file with its text', [outside(9, gone), outside(9, ['b.md', null, 'x'])], 'b.md'],
  ['the new one seen later', [outside(12, ['b.md', null, 'x']), outside(9, gone)], 'b.md'],
  ['in one look', [outside(9, ['b.md', null, 'x'], gone)], 'b.md'],
  ['much later', [outside(20, ['b.md', null, 'x']), outside(9, gone)], undefined],
  ['another text', [outside(9, gone, ['b.md', null, 'y'])], undefined],
  ['one that was there', [outside(9, gone, ['b.md', 'z', 'x'])], undefined],
  ['two with that text', [outside(9, gone, ['b.md', null, 'x'], ['c.md', null, 'x'])], undefined],
  ['two, one of that name', [outside(9, gone, ['b.md', null, 'x'], ['out/a.md', null, 'x'])], 'out/a.md'],
  [
    'deleted by the user',
    [{ ...outside(9, gone), cause: 'user' as const }, outside(9, ['b.md', null, 'x'])],
    undefined,
  ],
  ['there again', [outside(10, ['in/a.md', null, 'y']), outside(9, gone, ['b.md', null, 'x'])], undefined],
  ['never known', [outside(9, ['b.md', null, 'x'])], undefined],
] as const

describe('where a file went that another program renamed', () => {
  it.each(table)(' %s', (_name, log, expected) => expect(renamedTo(log, 'in/a.md')).toBe(expected))
})
