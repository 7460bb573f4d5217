import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { budgetOf, recentTokensToKeep } from '../../src/main/agent/context/context-budget.ts'
import { configSchema } from '../../src/main/platform/config/config-schema.ts'
import { parseConfig } from '../../src/main/platform/config/parse-config.ts'
import { defaultSettings } from '../support/default-settings.ts'

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

  it.each(['README.md', ...pages])('the settings in %s are valid', (document) => {
    const blocks = [...read(document).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml)
    const settings = blocks.filter((yaml) => (/^\w+/.exec(yaml)?.[0] ?? '') in configSchema.shape)
    for (const yaml of settings) expect(parseConfig(yaml)).toMatchObject({ ok: true, ignoredKeys: [] })
    if (document.endsWith('/original.md')) expect(settings).toHaveLength(1)
  })

  it.each([
    [200_000, 8000, 2],
    [8192, 1000, 3],
  ])('docs/guide/context.md states the thresholds of a window of %i', (contextWindow, maxOutput, column) => {
    const rows =
      read('docs/guide/context.md')
        .match(/^\| .* \|$/gm)
        ?.map((row) => row.split('|').map((cell) => cell.trim())) ?? []
    const figureOf = (name: string) => Number(rows.find((row) => row[1] === name)?.[column + 1]?.replaceAll(',', ''))
    const { compaction } = defaultSettings
    const budget = budgetOf({ contextWindow, maxOutput }, compaction)
    expect(figureOf('reserve for the answer')).toBe(budget.reserveTokens)
    expect(figureOf('compaction')).toBe(budget.compactAt)
    expect(figureOf('flush')).toBe(budget.flushAt)
    expect(figureOf('kept verbatim by a compaction')).toBe(
      recentTokensToKeep(budget, compaction.keepRecentTokens, contextWindow * 0.01),
    )
    expect(figureOf('pruning')).toBe(Math.ceil(contextWindow * 0.3))
    expect(figureOf('removal of old results')).toBe(contextWindow / 2)
  })

  it('README.md links to every page of the guide', () => {
    const readme = read('README.md')
    expect(pages.filter((page) => page.includes('/guide/') && !readme.includes(`(${page})`))).toEqual([])
  })
})
