import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('developer documents', () => {
  it.each(['docs/architecture.md', 'docs/CONTRIBUTING.md'])('%s names files that exist', (document) => {
    const paths = [...read(document).matchAll(/`((?:src|test|resources)\/[\w./-]+)`/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(5)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it.each(['README.md', 'docs/architecture.md', 'docs/CONTRIBUTING.md', 'docs/guide.md'])(
    '%s has no dead links',
    (document) => {
      const targets = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target)
      expect(targets.length).toBeGreaterThan(0)
      expect(
        targets.filter((target) => !statSync(join(root, dirname(document), target), { throwIfNoEntry: false })),
      ).toEqual([])
    },
  )
})
