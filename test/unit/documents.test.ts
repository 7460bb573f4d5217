import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { budgetOf, recentTokensToKeep } from '../../src/main/agent/context/context-budget.ts'
import { parseConfig } from '../../src/main/platform/config/parse-config.ts'
import { defaultSettings } from '../support/default-settings.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Names of other programs, and examples of values. */
const foreignNames = new Set(
  `OWNER REPOSITORY FILE FOLDER RULES TIME QUERY unreleased attestation certificate azureSignOptions AZURE_ pfx p12
  getLinkpathDest findByDirectory HASHTAG_REGEX softTrimRatio hardClearRatio minPrunableToolChars mapodoufu mapo mpdf
  visiblity someday rating author lee y1984 snake_case u006frk done_at news mkd cursorrules ssh repo GEMINI SKILL W03 T09
  Z_1a2b3c4d elicitation sep1034 sep1330 stateless bear2bk`.split(/\s+/),
)

describe('developer documents', () => {
  const pages = ['docs', 'docs/guide'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  )

  const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .split('\n')
    .filter((path) => existsSync(join(root, path)))

  it.each(['README.md', ...pages])('%s names files that exist', (document) => {
    const paths = [...read(document).matchAll(/`((?:src|test|resources|docs)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const names = [...read(document).matchAll(/`([\w-]+\.(?:tsx?|mjs))`/g)].map(([, name = '']) => name)
    expect(names.filter((name) => !sources.some((path) => path.endsWith(`/${name}`)))).toEqual([])
  })

  const code = sources
    .filter((path) => /^(?:src|resources|test\/support|\.github|\.ci|[^/]+$)/.test(path))
    .filter((path) => /\.(?:tsx?|mjs|json|css|ya?ml|md)$/.test(path) && !/^(?:README|CHANGELOG)/.test(path))
    .map((path) => read(path))
    .concat(sources)
    .join('\n')
  const words = new Set(code.match(/[A-Za-z_]\w*/g))

  it.each(['README.md', ...pages])('the code in %s has no unknown name', (document) => {
    const spans = [
      ...read(document)
        .replace(/```[\s\S]*?```/g, '')
        .matchAll(/`([^`\n]+)`/g),
    ].map(([, code = '']) => code)
    const names = spans.flatMap((code) => code.match(/[A-Za-z_]\w{2,}/g) ?? [])
    expect(names.filter((name) => !words.has(name) && !foreignNames.has(name))).toEqual([])
  })

  it.each(['docs/CONTRIBUTING.md', 'docs/architecture.md'])('%s names declarations that exist', (document) => {
    const other = new Set(
      'allowScripts eval tsc CHROMIUM_PATH TMPDIR makensis llm curation interop util lib ws'.split(' '),
    )
    const program = sources
      .filter((path) => /^(?:src|test\/support|resources)\/.*\.(?:tsx?|mjs)$/.test(path))
      .map((path) => read(path))
      .join('\n')
    const names = [...read(document).matchAll(/`([A-Za-z]\w+)(?:\(\))?`/g)].map(([, name = '']) => name)
    const isDeclared = (name: string) =>
      new RegExp(
        `(?:function\\*?|const|let|class|interface|type|get|readonly|async) +#?${name}\\b|^ *${name}[?:(]`,
        'm',
      ).test(program)
    expect(names.filter((name) => !other.has(name) && !isDeclared(name))).toEqual([])
  })

  it.each(['README.md', ...pages])('%s has no dead links', (document) => {
    const prose = read(document).replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
    const anchorsOf = (path: string) =>
      [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
      )
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)/g)]
    const dead = links.filter(([, target = '', anchor = '']) => {
      const path = target === '' ? join(root, document) : join(root, dirname(document), target)
      return !statSync(path, { throwIfNoEntry: false }) || (anchor !== '' && !anchorsOf(path).includes(anchor))
    })
    expect(dead.map(([link]) => link)).toEqual([])
  })

  const settingNames = [...read('docs/guide/config.md').matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => name)

  it.each(['README.md', ...pages])('%s names settings that exist', (document) => {
    const firstParts = new Set(settingNames.flatMap((name) => name.replace(/^agents\.defaults\./, '').split('.', 1)))
    const prose = read(document).replace(/```[\s\S]*?```/g, '')
    const named = [...prose.matchAll(/`([a-z]\w*(?:\.[a-z]\w*)+)`/gi)].map(([, name = '']) => name)
    const settings = named.filter(
      (name) => firstParts.has(name.split('.', 1)[0] ?? '') && !/\.(?:md|ts|jsonl?)$/.test(name),
    )
    const isKnown = (name: string) =>
      settingNames.some((known) => `.${known}.`.includes(`.${name}.`) || name.startsWith(`${known}.`)) ||
      // Names of the original and older names are read, too.
      code.includes(name)
    expect(settings.filter((name) => !isKnown(name))).toEqual([])
  })

  it.each(['README.md', ...pages])('the YAML in %s is valid', (document) => {
    const blocks = [...read(document).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml)
    for (const yaml of blocks) expect(parseDocument(yaml).errors).toEqual([])
    const settings = blocks.filter((yaml) => !yaml.startsWith('superseded:'))
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
