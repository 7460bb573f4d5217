import { describe, expect, it } from 'vitest'
import { Resolver } from '../../../../src/shared/markdown/links/resolve-link.ts'
import { foam, logseq, markdown, obsidian } from '../../../support/link-rules.ts'

describe('links to folders and by name', () => {
  const resolver = new Resolver([
    { path: 'a/README.md' },
    { path: 'b/index.md' },
    { path: 'b/README.md' },
    { path: 'c/x.md', names: ['config.edn', 'a'] },
    { path: 'config.edn' },
    { path: 'files/config.edn' },
    { path: 'files/settings.edn' },
  ])
  it.each([
    ['c/x.md', 'inline', '../a', 'a/README.md'],
    ['c/x.md', 'inline', '../b/', 'b/index.md'],
    ['c/x.md', 'inline', '/b', 'b/index.md'],
    ['c/x.md', 'inline', 'nowhere', undefined],
    // An alias has priority over a folder and over a non-Markdown file elsewhere.
    ['b/index.md', 'wiki', 'a', 'c/x.md'],
    ['b/index.md', 'wiki', 'settings.edn', 'files/settings.edn'],
    ['b/index.md', 'wiki', 'config.edn', 'config.edn'],
  ] as const)('resolves in %s the %s link %s to %s', (from, kind, target, path) =>
    expect(resolver.resolve(from, { kind, target })?.path).toBe(path),
  )
})

describe('comparison keys of links', () => {
  const paths = ['Note.md', 'a/Note.md', 'a/deep/other.md', 'b/longer/other.md', 'a/pic.png', 'd/README.md']
  it.each([
    ['obsidian', obsidian(paths), 'a/deep/other.md', 'wiki', 'note', 'Note.md'],
    ['obsidian', obsidian(paths), 'b/longer/other.md', 'wiki', 'OTHER', 'b/longer/other.md'],
    ['obsidian', obsidian(paths), 'Note.md', 'wiki', 'pic.png', 'a/pic.png'],
    ['obsidian', obsidian(paths), 'a/Note.md', 'inline', './deep/other', 'a/deep/other.md'],
    ['obsidian', obsidian(paths), 'a/Note.md', 'inline', './other', undefined],
    ['foam', foam(paths), 'a/Note.md', 'wiki', 'other', 'a/deep/other.md'],
    ['foam', foam(paths), 'a/Note.md', 'inline', '../d', 'd/README.md'],
    ['foam', foam(paths), 'a/Note.md', 'wiki', 'd', 'd/README.md'],
    ['markdown', markdown(paths), 'a/Note.md', 'inline', '../note.md', undefined],
    ['markdown', markdown(paths), 'a/Note.md', 'inline', '/Note.md', 'Note.md'],
  ] as const)(' %s', (_rules, oracle, from, kind, target, path) => expect(oracle(from, { kind, target })).toBe(path))

  it('logseq', () => {
    const notes = [
      { path: 'pages/a___b.md', title: undefined, aliases: ['C'] },
      { path: 'pages/x.md', title: 'Y', aliases: [] },
      { path: 'journals/2025_01_31.md', title: undefined, aliases: [] },
    ]
    const oracle = logseq(
      notes,
      notes.map(({ path }) => path),
    )
    const leads = (target: string) => oracle('pages/x.md', { kind: 'wiki', target })
    expect(['A/B', 'c', 'y', 'x', 'Jan 31st, 2025'].map(leads)).toEqual([
      'pages/a___b.md',
      'pages/a___b.md',
      'pages/x.md',
      undefined,
      'journals/2025_01_31.md',
    ])
  })
})
