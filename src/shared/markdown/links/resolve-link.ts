import { decodePart } from '../../util/decode.ts'
import type { NoteLink } from './parse-links.ts'
import { months, ordinal } from '../daily-notes.ts'

export interface KnownFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string
  /** Titles and aliases. */
  readonly names?: readonly string[] | undefined
}

/** Method of resolution: path relative to the linking file, path from the top, file name, or alias. */
type FoundBy = 'relative' | 'root' | 'name' | 'alias'

export interface Resolution {
  readonly path: string
  readonly by: FoundBy
}

const markdown = /\.(?:md|markdown)$/i

/** Extensions that a path may omit. The order depends on whether the path contains a dot. */
const extensionsWithDot = ['', '.md', '.markdown']
const extensionsWithoutDot = ['.md', '.markdown', '']
/** Index files that represent their folder (Foam). */
const indexFiles = ['/index.md', '/readme.md']

/** A file with its comparison keys. They are not computed for each link, because dozens of files can have one name. */
interface IndexedFile {
  readonly path: string
  readonly key: string
  readonly stemKey: string
}

export class Resolver {
  readonly #filesByPath = new Map<string, IndexedFile[]>()
  /** By file name, and without extension for Markdown files. */
  readonly #filesByName = new Map<string, IndexedFile[]>()
  readonly #filesByAlias = new Map<string, IndexedFile[]>()

  constructor(files: Iterable<KnownFile>) {
    for (const { path, names = [] } of files) {
      const key = keyOf(path)
      const file = { path, key, stemKey: stemOf(key) }
      add(this.#filesByPath, key, file)
      const base = fileNameOf(key)
      add(this.#filesByName, base, file)
      if (markdown.test(base)) add(this.#filesByName, stemOf(base), file)
      for (const name of [...pageNames(path), ...names]) add(this.#filesByAlias, keyOf(name), file)
    }
  }

  /** Resolves a link. @param from workspace-relative path of the linking file @returns undefined if it is broken */
  resolve(from: string, { kind, target }: Pick<NoteLink, 'kind' | 'target'>): Resolution | undefined {
    if (target === '') return { path: from, by: 'relative' }
    const resolution = this.#resolvePath(from, kind, target.replaceAll('\\', '/'))
    // Targets of other links are decoded already.
    if (resolution || kind !== 'wiki' || !target.includes('%')) return resolution
    const decoded = decodePart(target)
    return decoded === target ? undefined : this.#resolvePath(from, kind, decoded)
  }

  /** Counts the files with a name in any folder, ignoring case. @param name without `.md` */
  countFilesNamed(name: string): number {
    return this.#filesByName.get(keyOf(name))?.length ?? 0
  }

  /**
   * Looks for a path, a file name, an alias and the index file of a folder, in this order. A path is relative to the
   * linking file if it starts with `./` or `../`, and to the workspace if it starts with `/`. Any other path can be
   * both: wiki links prefer the workspace, Markdown links the linking file.
   */
  #resolvePath(from: string, kind: NoteLink['kind'], target: string): Resolution | undefined {
    const folder = folderOf(from)
    const relative = (extensions?: readonly string[]) => this.#byPath(folder, target, 'relative', extensions)
    const root = (extensions?: readonly string[]) => this.#byPath('', target.replace(/^\//, ''), 'root', extensions)
    if (/^\.\.?(?:\/|$)/.test(target)) return relative() ?? relative(indexFiles)
    if (target.startsWith('/')) return root() ?? root(indexFiles)
    const byPath = kind === 'wiki' ? (root() ?? relative()) : (relative() ?? root())
    if (byPath) return byPath
    const byName = this.#byName(folder, target)
    // For wiki links, an alias of a note has priority over a non-Markdown file of that name.
    if (byName && (kind !== 'wiki' || markdown.test(byName.path))) return byName
    return this.#byAlias(folder, target) ?? byName ?? relative(indexFiles) ?? root(indexFiles)
  }

  #byPath(folder: string, target: string, by: FoundBy, extensions?: readonly string[]): Resolution | undefined {
    const path = joinPath(folder, target)
    if (path === undefined) return undefined
    for (const extension of extensions ?? (path.includes('.') ? extensionsWithDot : extensionsWithoutDot)) {
      const files = this.#filesByPath.get(keyOf(path + extension))
      const match = files?.find((file) => file.path === path + extension) ?? files?.[0]
      if (match) return { path: match.path, by }
    }
    return undefined
  }

  #byName(folder: string, target: string): Resolution | undefined {
    const targetKey = keyOf(target)
    const sameName = this.#filesByName.get(keyOf(fileNameOf(target))) ?? []
    const matches = sameName.filter(({ key, stemKey }) =>
      [key, stemKey].some((suffix) => suffix === targetKey || suffix.endsWith(`/${targetKey}`)),
    )
    const notes = matches.filter(({ path }) => markdown.test(path))
    // Without a dot, and so without an extension, the target means a note if there is one.
    const path = nearest(notes.length === 0 || target.includes('.') ? matches : notes, folder, target)
    return path === undefined ? undefined : { path, by: 'name' }
  }

  #byAlias(folder: string, target: string): Resolution | undefined {
    const path = nearest(this.#filesByAlias.get(keyOf(target)) ?? [], folder, target)
    return path === undefined ? undefined : { path, by: 'alias' }
  }
}

function add(map: Map<string, IndexedFile[]>, key: string, file: IndexedFile): void {
  const files = map.get(key)
  if (!files) map.set(key, [file])
  // Names of one file are added consecutively.
  else if (files.at(-1) !== file) files.push(file)
}

/** Returns the comparison key of a name: ignores case, Unicode composition and final sigma. */
export function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns the folder with the trailing `/`; '' at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

export function stemOf(path: string): string {
  return path.replace(markdown, '')
}

/** @param folder with its trailing `/` @returns undefined if the path leaves the workspace */
export function joinPath(folder: string, target: string): string | undefined {
  const segments = folder.split('/').slice(0, -1)
  for (const segment of target.split('/')) {
    if (segment === '..' && segments.length === 0) return undefined
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return segments.length === 0 ? undefined : segments.join('/')
}

/**
 * Picks the best match: below the linking file's folder; then the shortest path; then the spelling of the target; then
 * the first path. Files in hidden folders (the agent's own files) match only if there are no others, because other vault
 * programs ignore them, or if the linking file is also in one.
 */
function nearest(files: readonly IndexedFile[], folder: string, target: string): string | undefined {
  if (files.length < 2) return files[0]?.path
  const folderKey = keyOf(folder)
  const visible = folderKey.startsWith('.') ? files : files.filter(({ key }) => !key.startsWith('.'))
  const candidates = visible.length === 0 ? files : visible
  const belowFolder = candidates.filter(({ key }) => key.startsWith(folderKey))
  const isSpelledAsTarget = (path: string) => [path, stemOf(path)].some((form) => form.endsWith(target))
  return (belowFolder.length === 0 ? candidates : belowFolder)
    .map(({ path }) => path)
    .reduce((best, path) => {
      const bySpelling = Number(isSpelledAsTarget(best)) - Number(isSpelledAsTarget(path))
      const order = path.length - best.length || bySpelling || (path < best ? -1 : 1)
      return order < 0 ? path : best
    })
}

/**
 * Returns Logseq page names of a file: `a___b.md` and `a%2Fb.md` are the page `a/b`; `2025_01_31.md` is the journal
 * `Jan 31st, 2025`. Empty if the only page name is the file name.
 */
export function pageNames(path: string): string[] {
  const base = stemOf(fileNameOf(path))
  const [, year, month, day] = /^(\d{4})_(\d{2})_(\d{2})$/.exec(base) ?? []
  const monthName = months[Number(month) - 1]?.slice(0, 3)
  if (year !== undefined && monthName !== undefined)
    return [`${monthName} ${ordinal(Number(day))}, ${year}`, `${year}-${month}-${day}`]
  const page = logseqPageName(base)
  return page === base ? [] : [page]
}

/** Returns the Logseq page name for a file name without extension. */
export function logseqPageName(base: string): string {
  return decodePart(base.replaceAll('___', '/'))
}
