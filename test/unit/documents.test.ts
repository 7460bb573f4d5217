import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
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

  const pages = ['docs', 'docs/guide'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  )

  it.each(['README.md', ...pages])('%s has no dead links', (document) => {
    const prose = read(document).replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
    const targets = [...prose.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target)
    expect(
      targets.filter((target) => !statSync(join(root, dirname(document), target), { throwIfNoEntry: false })),
    ).toEqual([])
  })

  it('README.md links to every page of the guide', () => {
    const readme = read('README.md')
    expect(pages.filter((page) => page.includes('/guide/') && !readme.includes(`(${page})`))).toEqual([])
  })
})
