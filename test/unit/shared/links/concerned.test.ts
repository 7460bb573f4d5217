/** The name-based pre-filter must not change the result: compares the plan with one that checks every link. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  movedPath,
  planRewrites,
  rewriteLinks,
  type LinkingFile,
  type Move,
} from '../../../../src/shared/markdown/links/rewrite-links.ts'
import { parseLinks } from '../../../../src/shared/markdown/links/parse-links.ts'
import { Resolver } from '../../../../src/shared/markdown/links/resolve-link.ts'
import { rounds } from '../../../support/thorough.ts'

/** Plans without the pre-filter. */
function thoroughly(files: readonly LinkingFile[], moves: readonly Move[]) {
  const newPathOf = (path: string) => movedPath(path, moves)
  const before = new Resolver(files)
  const after = new Resolver(files.map(({ path, names }) => ({ path: newPathOf(path), names })))
  return files.flatMap(({ path, links = [] }) => {
    const { edits, unfixable } = rewriteLinks({ path, newPath: newPathOf(path), links }, { before, after, newPathOf })
    return edits.length + unfixable.length > 0 ? [{ path, edits, left: unfixable }] : []
  })
}

function planned(files: readonly LinkingFile[], moves: readonly Move[]) {
  const { files: rewritten, unfixable } = planRewrites(files, moves)
  const paths = files.map(({ path }) => path)
  return paths.flatMap((path) => {
    const edits = rewritten.find((one) => one.path === path)?.edits ?? []
    const own = unfixable.filter((one) => one.path === path)
    return edits.length + own.length > 0 ? [{ path, edits, left: own }] : []
  })
}

const steps = [
  'a',
  'A',
  'b',
  'a.md',
  'index',
  'README',
  'é',
  'e\u0301',
  'ΑΣ',
  'ας',
  'x___y',
  '2025_01_31',
  'a b',
  'a%20b',
]
const names = ['a', 'b', 'x/y', 'Jan 31st, 2025', 'index', 'other']
const step = fc.constantFrom(...steps)
const path = fc
  .tuple(fc.array(step, { maxLength: 2 }), step, fc.constantFrom('.md', '.markdown', '.MD', '.png'))
  .map(([folders, name, ending]) => [...folders, name + ending].join('/'))
const target = fc
  .tuple(
    fc.constantFrom('', './', '../', '/'),
    fc.oneof(path, step, fc.constantFrom(...names, '..', '.', 'a/', 'a/..', 'a\\b', 'x%2Fy')),
    fc.constantFrom('', '.md', '#h'),
  )
  .map((parts) => parts.join(''))
const link = fc.tuple(target, fc.boolean()).map(([to, isWiki]) => (isWiki ? `[[${to}]]` : `[t](<${to}>)`))
const file = fc.record({
  path,
  links: fc.array(link, { maxLength: 4 }).map((links) => parseLinks(links.join('\n')).links),
  names: fc.array(fc.constantFrom(...names), { maxLength: 1 }),
})
const vaults = fc.uniqueArray(file, { minLength: 2, maxLength: 8, selector: (one) => one.path })

describe('pre-filter for links affected by a move', () => {
  it('plans the same edits as checking every link, for any files and links', () => {
    fc.assert(
      fc.property(vaults, fc.nat(), fc.boolean(), path, (files, pick, isFolder, to) => {
        const from = files[pick % files.length]?.path ?? ''
        const above = from.slice(0, Math.max(0, from.lastIndexOf('/')))
        const move = isFolder && above !== '' ? { from: above, to: to.replace(/\.\w+$/, '') } : { from, to }
        expect(planned(files, [move])).toEqual(thoroughly(files, [move]))
      }),
      { numRuns: rounds(600, 50_000) },
    )
  })

  it('treats a final sigma like any other sigma', () => {
    const resolver = new Resolver([{ path: 'Λόγος.md' }, { path: 'ΔΡΌΜΟΣ.md' }])
    expect(resolver.resolve('a.md', { kind: 'wiki', target: 'ΛΌΓΟΣ' })?.path).toBe('Λόγος.md')
    expect(resolver.resolve('a.md', { kind: 'wiki', target: 'δρόμος' })?.path).toBe('ΔΡΌΜΟΣ.md')
  })
})
