import { describe, expect, it } from 'vitest'
import { detectRename } from '../../../src/main/workspace/history/history-queries.ts'

type File = [path: string, before: string | null, after: string | null]

const outside = (at: number, ...files: File[]) => ({
  commit: `${at}`,
  at: at * 1000,
  cause: 'outside' as const,
  files: files.map(([path, before, after]) => ({ path, before, after, added: 1, removed: before === null ? 0 : 1 })),
})
const gone: File = ['in/a.md', 'x', null]

const table = [
  ['finds a new file with the same text', [outside(9, gone), outside(9, ['b.md', null, 'x'])], 'b.md'],
  ['finds it if the new file is reported later', [outside(12, ['b.md', null, 'x']), outside(9, gone)], 'b.md'],
  ['finds it in one commit', [outside(9, ['b.md', null, 'x'], gone)], 'b.md'],
  ['ignores a new file that appears much later', [outside(20, ['b.md', null, 'x']), outside(9, gone)], undefined],
  ['ignores a new file with another text', [outside(9, gone, ['b.md', null, 'y'])], undefined],
  ['ignores a file that existed before', [outside(9, gone, ['b.md', 'z', 'x'])], undefined],
  ['returns undefined for two candidates', [outside(9, gone, ['b.md', null, 'x'], ['c.md', null, 'x'])], undefined],
  [
    'prefers the candidate with the same name',
    [outside(9, gone, ['b.md', null, 'x'], ['out/a.md', null, 'x'])],
    'out/a.md',
  ],
  [
    'returns undefined for a file that the user deleted',
    [{ ...outside(9, gone), cause: 'user' as const }, outside(9, ['b.md', null, 'x'])],
    undefined,
  ],
  [
    'returns undefined if the file exists again',
    [outside(10, ['in/a.md', null, 'y']), outside(9, gone, ['b.md', null, 'x'])],
    undefined,
  ],
  ['returns undefined for an unknown file', [outside(9, ['b.md', null, 'x'])], undefined],
] as const

describe('renamedTo()', () => {
  it.each(table)('%s', (_name, log, expected) => expect(detectRename(log, 'in/a.md')).toBe(expected))
})
