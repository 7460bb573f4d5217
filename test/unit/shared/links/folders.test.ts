import { describe, expect, it } from 'vitest'
import { Resolver } from '../../../../src/shared/markdown/links/resolve-link.ts'

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
