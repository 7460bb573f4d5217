/**
 * Where a link leads by the rules of the program that a vault was written with, told from its own documents or source,
 * and from nothing of ours. Each takes the paths of a vault and what its notes say at their top.
 */
import { posix } from 'node:path'

export interface VaultNote {
  /** From the top of the vault. */
  readonly path: string
  /** `title`, and other names, as its program knows them. */
  readonly title: string | undefined
  readonly aliases: readonly string[]
}

export interface WrittenLink {
  readonly kind: 'wiki' | 'inline'
  /** Without its fragment, decoded. */
  readonly target: string
}

/** @returns the path of the file; undefined for what leads nowhere, outside, or to no file */
export type Oracle = (from: string, link: WrittenLink) => string | undefined

/**
 * Obsidian: `MetadataCache.getFirstLinkpathDest` (github.com/obsidianmd/obsidian-api, obsidian.d.ts: "the best match for
 * a linkpath") as help.obsidian.md/links has it: a path from the vault's root, or the shortest that is unique; `./`, `../`
 * and `/` as everywhere; case counts for nothing; `.md` may be left out; among several, those in the folder of the note
 * (or below it) come first, then the shortest path. Markdown links by the same function.
 */
export function obsidian(paths: readonly string[]): Oracle {
  const byName = Map.groupBy(paths, (path) => posix.basename(path).toLowerCase())
  return (from, { target }) => {
    if (target === '') return from
    const folder = posix.dirname(from) === '.' ? '' : posix.dirname(from)
    const isExact = /^(?:\.{1,2})?\//.test(target)
    const meant = isExact ? posix.join(target.startsWith('/') ? '' : folder, target).replace(/^\//, '') : target
    for (const wanted of [meant.toLowerCase(), `${meant.toLowerCase()}.md`]) {
      const named = byName.get(posix.basename(wanted)) ?? []
      const exact = named.find((path) => path.toLowerCase() === wanted)
      if (exact !== undefined) return exact
      if (isExact) continue
      const fitting = named
        .filter((path) => path.toLowerCase().endsWith(`/${wanted}`))
        .toSorted((one, other) => one.length - other.length)
      const near = fitting.find((path) => folder === '' || path.startsWith(`${folder}/`))
      if (fitting.length > 0) return near ?? fitting[0]
    }
    return undefined
  }
}

/**
 * Foam: `FoamWorkspace.find`, `listByIdentifier` and `MarkdownResourceProvider.resolveLink` (github.com/foambubble/foam,
 * packages/foam-core). A wikilink is an identifier, the end of a path, whatever its case; of several those of the same
 * case, then the first by path; else a folder of that name, which means its `index` or `README`. Markdown links are paths
 * from the note, or from the top with `/`; `.md` may be left out.
 */
export function foam(paths: readonly string[]): Oracle {
  const sorted = paths.toSorted()
  const known = new Map(sorted.map((path) => [path.toLowerCase(), path]))
  const inFolder = (folder: string) =>
    ['index.md', 'readme.md']
      .map((name) => known.get(posix.join(folder, name).toLowerCase()))
      .find((path) => path !== undefined)
  const atPath = (path: string) => known.get(path.toLowerCase()) ?? known.get(`${path}.md`.toLowerCase())
  return (from, { kind, target }) => {
    if (target === '') return from
    const folder = posix.dirname(from)
    const isPath = kind === 'inline' || /^(?:\.{1,2})?\//.test(target)
    if (isPath) {
      const path = posix.join(target.startsWith('/') ? '.' : folder, target).replace(/^\/|\/$/g, '')
      return path.startsWith('..') ? undefined : (atPath(path) ?? (kind === 'inline' ? inFolder(path) : undefined))
    }
    const ends = [target, `${target}.md`].map((end) => `/${end.toLowerCase()}`)
    const found = sorted.filter((path) => ends.some((end) => `/${path.toLowerCase()}`.endsWith(end)))
    const base = posix.basename(target)
    const same = found.filter((path) => [base, `${base}.md`].includes(posix.basename(path)))
    if (found.length > 0) return (found.length > 1 && same.length > 0 ? same : found)[0]
    const folders = [...new Set(sorted.map((path) => posix.dirname(path)))]
    const named = folders.find((one) => `/${one}`.toLowerCase().endsWith(`/${target.toLowerCase()}`))
    return named === undefined ? undefined : inFolder(named)
  }
}

/**
 * Logseq (docs.logseq.com: Page, Namespaces, Filename format, alias, Journals page): `[[…]]` is a page, whatever its case.
 * A page has the name of its `title::`, else of its file, in which `___` stands for `/` and `%XX` for what no file name
 * may have; a journal has that of its day, `Jan 31st, 2025`; `alias::` names it too. Files are linked by Markdown's paths.
 */
export function logseq(notes: readonly VaultNote[], paths: readonly string[]): Oracle {
  const pages = new Map<string, string>()
  const add = (name: string, path: string) => {
    if (!pages.has(name.normalize('NFC').toLowerCase())) pages.set(name.normalize('NFC').toLowerCase(), path)
  }
  const areThere = new Set(paths)
  const real = notes.filter(({ path }) => /^(?:pages|journals)\//.test(path))
  for (const { path, title } of real) add(title ?? pageName(path), path)
  for (const { path, aliases } of real) for (const alias of aliases) add(alias, path)
  return (from, { kind, target }) => {
    if (kind === 'wiki') return target === '' ? undefined : pages.get(target.normalize('NFC').toLowerCase())
    const path = posix.join(posix.dirname(from), target)
    return areThere.has(path) ? path : undefined
  }
}

function pageName(path: string): string {
  const base = posix.basename(path).replace(/\.md$/, '')
  const [, year, month, day] = /^(\d{4})_(\d{2})_(\d{2})$/.exec(base) ?? []
  if (path.startsWith('journals/') && year !== undefined) {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
    const name = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' }).format(date)
    const number = Number(day)
    const ending =
      number % 10 === 1 && number !== 11
        ? 'st'
        : number % 10 === 2 && number !== 12
          ? 'nd'
          : number % 10 === 3 && number !== 13
            ? 'rd'
            : 'th'
    return `${name} ${number}${ending}, ${year}`
  }
  return decodeURIComponent(base.replaceAll('___', '/').replaceAll(/%(?![\da-f]{2})/gi, '%25'))
}

/**
 * Markdown alone (CommonMark; github.blog: relative links in markup files): an address relative to the file, or to the top
 * with `/`; case counts; a folder is no note.
 */
export function markdown(paths: readonly string[]): Oracle {
  const areThere = new Set(paths)
  return (from, { kind, target }) => {
    if (kind === 'wiki' || target === '') return undefined
    const path = posix.join(target.startsWith('/') ? '.' : posix.dirname(from), target).replace(/^\//, '')
    return areThere.has(path) ? path : undefined
  }
}
