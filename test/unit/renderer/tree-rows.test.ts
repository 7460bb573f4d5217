import { describe, expect, it } from 'vitest'
import { parentFolders, treeOf, treeRows, type TreeRow } from '../../../src/renderer/editor/rows.ts'
import type { FileEntry } from '../../../src/shared/contract/index.ts'

const entry = (path: string, kind: FileEntry['kind'] = 'note'): FileEntry => ({
  path,
  kind,
  size: 1,
  modifiedAt: 0,
  words: 1,
  tokens: 1,
})

const rowsOf = (rows: readonly TreeRow[]) =>
  rows.map((row) => `${row.depth} ${row.kind === 'folder' ? `${row.name}/ ${row.count}` : row.name}`)

describe('tree rows', () => {
  const files = [
    entry('AGENTS.md', 'project'),
    entry('MEMORY.md', 'memory'),
    entry('memory/2026-01-20.md', 'log'),
    entry('Journal/2024-05-21.md', 'log'),
    entry('a/b/c.md'),
    entry('a/d.md'),
    entry('e.md'),
  ]
  const shown = (...open: string[]) => rowsOf(treeRows(treeOf(files), (folder) => open.includes(folder)))

  it('shows a collapsed folder as one row with its file count', () => {
    expect(shown()).toEqual(['1 a/ 2', '1 Journal/ 1', '1 e.md'])
  })

  it('shows the folders and then the files of an expanded folder', () => {
    expect(shown('a', 'a/b').slice(0, 4)).toEqual(['1 a/ 2', '2 b/ 1', '3 c.md', '2 d.md'])
  })

  it('lists other files after the notes of a folder and counts them', () => {
    const tree = treeOf([entry('a/d.md'), entry('e.md')], ['a/photo.png', 'b/talk.mp3', 'plan.canvas'])
    expect(rowsOf(treeRows(tree, (folder) => folder === 'a'))).toEqual([
      '1 a/ 2',
      '2 d.md',
      '2 photo.png',
      '1 b/ 1',
      '1 e.md',
      '1 plan.canvas',
    ])
  })

  it('lists the daily notes of a vault, but not Commonplace’s own', () => {
    expect(shown('Journal', 'memory')).toContain('2 2024-05-21.md')
    expect(shown('Journal', 'memory').join()).not.toContain('2026-01-20')
  })

  it('returns the parent folders of a file', () => {
    expect(parentFolders('a/b/c.md')).toEqual(['a', 'a/b'])
    expect(parentFolders('c.md')).toEqual([])
  })
})
