/** Rules: docs/guide/links.md. */
import { describe, expect, it } from 'vitest'
import { Resolver } from '../../../../src/shared/markdown/links/resolve-link.ts'

const resolver = new Resolver([
  { path: 'Home.md' },
  { path: 'a/Note.md', names: ['The alias', 'Twice'] },
  { path: 'a/deep/Note.md' },
  { path: 'b/note.md' },
  { path: 'b/Only here.md', names: ['Twice'] },
  { path: 'b/v1.2.md' },
  { path: 'b/LICENSE' },
  { path: 'a/deep/license.md' },
  { path: 'b/pic.png' },
  { path: 'a/sub/x.md' },
  { path: 'sub/x.md' },
  { path: 'pages/ns___page.md' },
  { path: 'journals/2025_01_31.md' },
  { path: 'a/Cafe\u0301.md' },
])

describe('link resolution', () => {
  it.each([
    ['Home.md', 'wiki', 'only HERE', 'b/Only here.md', 'name'],
    ['Home.md', 'wiki', 'a/note', 'a/Note.md', 'root'],
    ['Home.md', 'wiki', 'deep/Note', 'a/deep/Note.md', 'name'],
    ['Home.md', 'wiki', 'Note', 'a/Note.md', 'name'],
    ['b/Only here.md', 'wiki', 'Note', 'b/note.md', 'relative'],
    ['a/sub/x.md', 'wiki', 'v1.2', 'b/v1.2.md', 'name'],
    ['Home.md', 'wiki', 'pic.png', 'b/pic.png', 'name'],
    ['a/Note.md', 'wiki', 'sub/x', 'sub/x.md', 'root'],
    ['a/Note.md', 'inline', 'sub/x.md', 'a/sub/x.md', 'relative'],
    ['b/note.md', 'inline', 'sub/x.md', 'sub/x.md', 'root'],
    ['a/Note.md', 'inline', '../b/note.md', 'b/note.md', 'relative'],
    ['a/Note.md', 'wiki', '/x', undefined, undefined],
    ['a/Note.md', 'inline', '../../b/note.md', undefined, undefined],
    ['Home.md', 'wiki', 'the ALIAS', 'a/Note.md', 'alias'],
    ['b/note.md', 'wiki', 'Twice', 'b/Only here.md', 'alias'],
    ['Home.md', 'wiki', 'ns/Page', 'pages/ns___page.md', 'alias'],
    ['Home.md', 'wiki', 'Jan 31st, 2025', 'journals/2025_01_31.md', 'alias'],
    ['Home.md', 'wiki', 'Caf\u00e9', 'a/Cafe\u0301.md', 'name'],
    ['Home.md', 'wiki', 'nothing', undefined, undefined],
  ] as const)('resolves in %s the %s link %j to %s', (from, kind, target, path, by) => {
    expect(resolver.resolve(from, { kind, target })).toEqual(path === undefined ? undefined : { path, by })
  })
})
