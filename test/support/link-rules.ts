/**
 * Resolves links by the rules of the program that wrote a vault, implemented from its documentation or source and
 * independent of the app. Each oracle receives the paths of a vault and the properties of its notes.
 */
import { posix } from 'node:path'

export interface VaultNote {
  /** Relative to the vault. */
  readonly path: string
  /** `title` and aliases, as the program reads them. */
  readonly title: string | undefined
  readonly aliases: readonly string[]
}

export interface WrittenLink {
  readonly kind: 'wiki' | 'inline'
  /** Decoded, without its fragment. */
  readonly target: string
}

/** @returns the path of the target; undefined if there is none, or it is outside the vault or not a file */
export type Oracle = (from: string, link: WrittenLink) => string | undefined

/**
 * Obsidian: `MetadataCache.getFirstLinkpathDest` (github.com/obsidianmd/obsidian-api, obsidian.d.ts: "the best match
 * for a linkpath"), documented by help.obsidian.md/links: a path from the vault's root, or the shortest unique path;
 * `./`, `../` and `/` are supported; case is ignored; `.md` is optional. Of several matches, those in or below the
 * note's folder come first, then the shortest path. Markdown links use the same function.
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
 * Foam: `FoamWorkspace.find`, `listByIdentifier` and `MarkdownResourceProvider.resolveLink`
 * (github.com/foambubble/foam, packages/foam-core). A wikilink is an identifier: the end of a path, ignoring case. Of
 * several matches, those with the same case come first, then the first by path. If there is no match, a folder of that
 * name resolves to its `index` or `README`. Markdown links are paths relative to the note, or to the root if they begin
 * with `/`; `.md` is optional.
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
 * Logseq (docs.logseq.com: Page, Namespaces, Filename format, alias, Journals page): `[[…]]` is a page name, ignoring
 * case. The name of a page is its `title::`, or its file name with `___` for `/` and `%XX` for characters that file
 * names may not contain. A journal has the name of its day, `Jan 31st, 2025`. `alias::` adds names. Links to files are
 * Markdown paths.
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
 * Plain Markdown (CommonMark; github.blog: relative links in markup files): a path relative to the file, or to the root
 * if it begins with `/`. Case-sensitive. Folders are not notes.
 */
export function markdown(paths: readonly string[]): Oracle {
  const areThere = new Set(paths)
  return (from, { kind, target }) => {
    if (kind === 'wiki' || target === '') return undefined
    const path = posix.join(target.startsWith('/') ? '.' : posix.dirname(from), target).replace(/^\//, '')
    return areThere.has(path) ? path : undefined
  }
}
