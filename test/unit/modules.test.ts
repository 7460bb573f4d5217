import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const main = join(root, 'src/main')
const modules = readdirSync(main).filter((name) => statSync(join(main, name)).isDirectory())

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
}

/** What a file imports of ours, types included, as paths from `src/main`. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(main, join(dirname(file), path)),
  )
}

/** Module by module, whom its files import. */
function graph(): Map<string, Set<string>> {
  return new Map(
    modules.map((module) => {
      const imported = sources(join(main, module)).flatMap(importsOf)
      const others = imported.map((path) => path.split('/')[0] ?? '').filter((name) => modules.includes(name))
      return [module, new Set(others.filter((name) => name !== module))]
    }),
  )
}

describe('M49 modules', () => {
  it('M49: no two need each other, directly or by way of others, types included', () => {
    const left = graph()
    for (;;) {
      const free = [...left].filter(([, needs]) => [...needs].every((name) => !left.has(name)))
      if (free.length === 0) break
      for (const [module] of free) left.delete(module)
    }
    expect([...left.keys()]).toEqual([])
  })

  it('M49: each shows one face: others import its index', () => {
    const inside = modules.flatMap((module) =>
      sources(join(main, module)).flatMap((file) =>
        importsOf(file)
          .filter((path) => {
            const [name = '', ...rest] = path.split('/')
            return modules.includes(name) && name !== module && rest.join('/') !== 'index.ts'
          })
          .map((path) => `${relative(main, file)} → ${path}`),
      ),
    )
    // Entries are no face: what starts a host is imported by nobody but the entry of the terminal.
    expect(inside).toEqual(['cli/index.ts → host/server.ts'])
  })

  it('M49: each has its rule for the linter, and its line in the architecture', () => {
    const config = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as {
      overrides: { files: string[]; rules: Record<string, unknown> }[]
    }
    const ruled = config.overrides
      .filter(({ rules }) => 'no-restricted-imports' in rules)
      .flatMap(({ files }) => files.flatMap((pattern) => /^src\/main\/([\w-]+)\/\*\.ts$/.exec(pattern)?.[1] ?? []))
    expect(ruled.sort()).toEqual([...modules].sort())
    const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    expect(modules.filter((module) => !new RegExp(`\\b${module}\\b`).test(architecture))).toEqual([])
  })

  it('M49: every file says first what it is for', () => {
    const isFace = (text: string) => text.replaceAll(/export (?:type )?\{[^}]*\} from '[^']+'/g, '').trim() === ''
    const silent = sources(join(root, 'src')).filter((file) => {
      const text = readFileSync(file, 'utf8')
      return !file.endsWith('.d.ts') && !isFace(text) && !/^(#!.*\n)?\/\*\*/.test(text)
    })
    expect(silent.map((file) => relative(root, file))).toEqual([])
  })

  it('M49: a long file says why it is one', () => {
    const long = sources(join(root, 'src')).filter((file) => {
      const lines = readFileSync(file, 'utf8').split('\n')
      const opening = lines
        .slice(0, lines.findIndex((line) => line.includes('*/')) + 1)
        .map((line) => line.replace(/^ \* /, ''))
        .join(' ')
      return lines.length > 351 && !/one file/i.test(opening)
    })
    expect(long.map((file) => relative(root, file))).toEqual([])
  })
})
