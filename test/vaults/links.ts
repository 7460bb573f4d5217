/**
 * Compares link targets in real vaults with the rules of the programs that wrote them. Finds the links with another
 * parser than the app's.
 *
 *   node test/vaults/links.ts [--sample 300] [--seed 1] [--table FILE] RULES:FOLDER…     RULES: obsidian, foam, logseq,
 *   markdown
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { type IndexedNote, LinkIndex } from '../../src/main/workspace/links/link-index.ts'
import { randomOf } from '../support/random.ts'
import { foam, logseq, markdown, obsidian, type Oracle, type VaultNote, type WrittenLink } from './oracles.ts'

const { values, positionals } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    table: { type: 'string' },
  },
  allowPositionals: true,
})

interface FoundLink extends WrittenLink {
  /** 1-based. */
  readonly line: number
  readonly written: string
}

interface Compared extends FoundLink {
  readonly vault: string
  readonly from: string
  readonly text: string
  readonly there: string
  /** Undefined if the link has no target; null if the app does not parse it as a link. */
  readonly here: string | undefined | null
}

interface Node {
  readonly type: string
  readonly url?: string | undefined
  readonly children?: readonly Node[] | undefined
  readonly position?:
    | {
        readonly start: { readonly offset?: number | undefined; readonly line: number }
        readonly end: { readonly offset?: number | undefined }
      }
    | undefined
}

const phrasing = new Set(['paragraph', 'heading', 'tableCell'])

/** Finds links by the grammar of CommonMark and GitHub, and `[[…]]` in text outside of code. */
function linksIn(text: string): FoundLink[] {
  const start = /^---\r?\n[^]*?\r?\n---[\t ]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0
  const body = text.slice(0, start).replaceAll(/[^\n]/g, ' ') + text.slice(start)
  const found: FoundLink[] = []
  const visit = (node: Node): void => {
    const { position, url } = node
    if (url !== undefined && position && ['link', 'image', 'definition'].includes(node.type)) {
      const target = url.split('#', 1)[0] ?? ''
      if (target !== '' && !/^(?:[a-z][a-z\d+.-]*:|\/\/|\[\[)/i.test(target))
        found.push({ kind: 'inline', target: decoded(target), written: url, line: position.start.line })
    }
    if (phrasing.has(node.type) && position) wikilinks(node)
    for (const child of node.children ?? []) visit(child)
  }
  const wikilinks = (node: Node): void => {
    const from = node.position?.start.offset ?? 0
    let shown = body.slice(from, node.position?.end.offset ?? 0)
    const blank = (inner: Node): void => {
      if (inner.type === 'inlineCode' || inner.type === 'html') {
        const [at, to] = [(inner.position?.start.offset ?? 0) - from, (inner.position?.end.offset ?? 0) - from]
        shown = shown.slice(0, at) + shown.slice(at, to).replaceAll(/[^\n]/g, ' ') + shown.slice(to)
      }
      for (const child of inner.children ?? []) blank(child)
    }
    blank(node)
    for (const { 0: written, 1: inside = '', index } of shown.matchAll(/(?<!\\)\[\[([^[\]\n]+)\]\]/g)) {
      const target = (inside.split('|', 1)[0] ?? '').replace(/\\$/, '').split('#', 1)[0]?.trim() ?? ''
      if (target === '' || /:\/\//.test(target)) continue
      const line = body.slice(0, from + index).split('\n').length
      found.push({ kind: 'wiki', target, written, line })
    }
  }
  visit(fromMarkdown(body, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }))
  return found
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads the page properties that Logseq takes from the first lines. */
function pageOf(path: string, text: string): VaultNote {
  const property = (name: string) =>
    new RegExp(`^(?:- )?${name}:: *(.+?)\\r?$`, 'm').exec(text.split(/\n\s*\n|\n- /, 1)[0] ?? '')?.[1]
  const aliases = property('alias')?.split(',') ?? []
  return { path, title: property('title'), aliases: aliases.map((one) => one.trim().replace(/^\[\[(.*)\]\]$/, '$1')) }
}

function hereOf(index: LinkIndex, note: IndexedNote, link: FoundLink): string | undefined | null {
  const isWiki = link.kind === 'wiki'
  const ours = note.links.find(
    ({ kind, target, line }) =>
      (kind === 'wiki') === isWiki && target === link.target && Math.abs(line - link.line) <= 3,
  )
  return ours ? index.resolver.resolve(note.path, ours)?.path : null
}

async function compare(rules: string, folder: string): Promise<Compared[]> {
  const index = new LinkIndex(folder)
  await index.refresh([])
  const paths = [...index.files.keys()]
  const texts = new Map<string, string>()
  for (const { path } of index.notes.values()) texts.set(path, await readFile(join(folder, path), 'utf8'))
  const oracles: Record<string, () => Oracle> = {
    obsidian: () => obsidian(paths),
    foam: () => foam(paths),
    logseq: () =>
      logseq(
        [...texts].map(([path, text]) => pageOf(path, text)),
        paths,
      ),
    markdown: () => markdown(paths),
  }
  const oracle = oracles[rules]?.()
  if (!oracle) throw new Error(`unknown rules: ${rules}`)
  const vault = basename(folder)
  let links = 0
  const compared: Compared[] = []
  for (const note of index.notes.values()) {
    const text = texts.get(note.path) ?? ''
    const lines = text.split('\n')
    for (const link of linksIn(text)) {
      links += 1
      const there = oracle(note.path, link)
      if (there === undefined) continue
      const shown = (lines[link.line - 1] ?? '').trim().slice(0, 160)
      compared.push({ ...link, vault, from: note.path, text: shown, there, here: hereOf(index, note, link) })
    }
  }
  const same = compared.filter(({ here, there }) => here === there).length
  const figures = {
    notes: index.notes.size,
    links,
    resolveThere: compared.length,
    sameHere: same,
    percent: Number(((100 * same) / compared.length).toFixed(3)),
    elsewhere: compared.filter(({ here, there }) => typeof here === 'string' && here !== there).length,
    nowhere: compared.filter(({ here }) => here === undefined).length,
    noLink: compared.filter(({ here }) => here === null).length,
  }
  process.stdout.write(`${vault} (${rules}): ${JSON.stringify(figures)}\n`)
  for (const { from, line, written, there, here } of compared.filter((one) => one.here !== one.there).slice(0, 40))
    process.stdout.write(
      `  ${from}:${line} ${written} → by its program: ${there}, in the app: ${here === null ? 'no link' : (here ?? 'no target')}\n`,
    )
  return compared
}

function tableOf(all: readonly Compared[]): string {
  const random = randomOf(Number(values.seed))
  const left = [...all]
  const sample = Array.from(
    { length: Math.min(Number(values.sample), left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  )
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('`', "'")
  const rows = sample.flatMap((one, at) =>
    one
      ? `| ${at + 1} | ${one.vault} | ${cell(`${one.from}:${one.line}`)} | \`${cell(one.written)}\` | ${cell(one.there)} | ${one.here === one.there ? '=' : cell(String(one.here))} | ${cell(one.text)} |`
      : [],
  )
  return [
    '| # | vault | file and line | link | target by its program | target in the app | text |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

const all: Compared[] = []
for (const given of positionals) {
  const [rules = '', ...folder] = given.split(':')
  all.push(...(await compare(rules, folder.join(':'))))
}
const same = all.filter(({ here, there }) => here === there).length
process.stdout.write(
  `all: ${same} of ${all.length} links lead to the same note: ${((100 * same) / all.length).toFixed(3)} %\n`,
)
if (values.table !== undefined) await writeFile(values.table, tableOf(all))
