import { decodePart } from '../../util/decode.ts'
import type { NoteLink } from './parse-links.ts'
import { pageNames } from './pages.ts'

export interface KnownFile {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string
  readonly names?: readonly string[] | undefined
}

/** Method of resolution: path relative to the linking file, path from the top, file name, or alias. */
export type FoundBy = 'relative' | 'root' | 'name' | 'alias'

export interface Resolution {
  readonly path: string
  readonly by: FoundBy
}

type Target = Pick<NoteLink, 'kind' | 'target'>

const markdown = /\.(?:md|markdown)$/i

/** Extensions that a path may omit. The order depends on whether the path contains a dot. */
const endingsWithDot = ['', '.md', '.markdown']
const endingsWithoutDot = ['.md', '.markdown', '']
/** Index files that represent their folder (Foam). */
const indexes = ['/index.md', '/readme.md']

/** A file with its precomputed comparison keys: a multilingual vault can have dozens of files with one name. */
interface IndexedFile {
  readonly path: string
  readonly key: string
  readonly stemKey: string
}

export class Resolver {
  readonly #paths = new Map<string, IndexedFile[]>()
  /** By file name, and without extension for Markdown files. */
  readonly #bases = new Map<string, IndexedFile[]>()
  readonly #names = new Map<string, IndexedFile[]>()

  constructor(files: Iterable<KnownFile>) {
    for (const { path, names = [] } of files) {
      const key = keyOf(path)
      const place = { path, key, stemKey: stemOf(key) }
      add(this.#paths, key, place)
      const base = fileNameOf(key)
      add(this.#bases, base, place)
      if (markdown.test(base)) add(this.#bases, stemOf(base), place)
      for (const name of [...pageNames(path), ...names]) add(this.#names, keyOf(name), place)
    }
  }

  /** Resolves a link. @param from workspace-relative path of the linking file @returns undefined if it is broken */
  resolve(from: string, { kind, target }: Target): Resolution | undefined {
    if (target === '') return { path: from, by: 'relative' }
    const found = this.#find(from, kind, target.replaceAll('\\', '/'))
    if (found || kind !== 'wiki' || !target.includes('%')) return found
    const decoded = decodePart(target)
    return decoded === target ? undefined : this.#find(from, kind, decoded)
  }

  /** Counts the files with a name in any folder, ignoring case. @param base without `.md` */
  countOf(base: string): number {
    return this.#bases.get(keyOf(base))?.length ?? 0
  }

  #find(from: string, kind: NoteLink['kind'], target: string): Resolution | undefined {
    const folder = folderOf(from)
    const relative = (endings?: readonly string[]) => this.#exact(folder, target, 'relative', endings)
    const root = (endings?: readonly string[]) => this.#exact('', target.replace(/^\//, ''), 'root', endings)
    if (/^\.\.?(?:\/|$)/.test(target)) return relative() ?? relative(indexes)
    if (target.startsWith('/')) return root() ?? root(indexes)
    const byPath = kind === 'wiki' ? (root() ?? relative()) : (relative() ?? root())
    if (byPath) return byPath
    const named = this.#byName(folder, target)
    // For wiki links, an alias of a note has priority over a non-Markdown file of that name.
    if (named && (kind !== 'wiki' || markdown.test(named.path))) return named
    return this.#byAlias(folder, target) ?? named ?? relative(indexes) ?? root(indexes)
  }

  #exact(folder: string, target: string, by: FoundBy, endings?: readonly string[]): Resolution | undefined {
    const path = joined(folder, target)
    if (path === undefined) return undefined
    for (const ending of endings ?? (path.includes('.') ? endingsWithDot : endingsWithoutDot)) {
      const found = preferSameCase(this.#paths.get(keyOf(path + ending)), path + ending)
      if (found !== undefined) return { path: found, by }
    }
    return undefined
  }

  #byName(folder: string, target: string): Resolution | undefined {
    const wanted = keyOf(target.replace(/\/+$/, ''))
    const all = this.#bases.get(keyOf(fileNameOf(target))) ?? []
    const matches = all.filter(({ key, stemKey }) =>
      [key, stemKey].some((one) => one === wanted || one.endsWith(`/${wanted}`)),
    )
    const notes = matches.filter(({ path }) => markdown.test(path))
    const path = nearest(notes.length === 0 || target.includes('.') ? matches : notes, folder, target)
    return path === undefined ? undefined : { path, by: 'name' }
  }

  #byAlias(folder: string, target: string): Resolution | undefined {
    const path = nearest(this.#names.get(keyOf(target)) ?? [], folder, target)
    return path === undefined ? undefined : { path, by: 'alias' }
  }
}

function add(map: Map<string, IndexedFile[]>, key: string, place: IndexedFile): void {
  const places = map.get(key)
  if (!places) map.set(key, [place])
  // Names of one file are added consecutively.
  else if (places.at(-1) !== place) places.push(place)
}

/** Returns the comparison key of a name: ignores case, Unicode composition and final sigma. */
export function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** With the trailing `/`; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** Removes a Markdown extension. */
export function stemOf(path: string): string {
  return path.replace(markdown, '')
}

/**
 * @param folder with its trailing `/`
 * @returns undefined if the path leaves the workspace
 */
function joined(folder: string, target: string): string | undefined {
  const steps = folder.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..' && steps.length === 0) return undefined
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(step)
  }
  return steps.length === 0 ? undefined : steps.join('/')
}

function preferSameCase(places: readonly IndexedFile[] | undefined, written: string): string | undefined {
  return (places?.find(({ path }) => path === written) ?? places?.[0])?.path
}

/**
 * Picks the best match: below the linking file's folder, then the shortest path, then the first by name. Hidden folders
 * (the agent's own files) come last, because other vault programs ignore them.
 */
function nearest(all: readonly IndexedFile[], folder: string, written: string): string | undefined {
  if (all.length < 2) return all[0]?.path
  const folderKey = keyOf(folder)
  const visible = folderKey.startsWith('.') ? all : all.filter(({ key }) => !key.startsWith('.'))
  const places = visible.length === 0 ? all : visible
  const near = places.filter(({ key }) => key.startsWith(folderKey))
  const isWritten = (path: string) => [path, stemOf(path)].some((one) => one.endsWith(written))
  return (near.length === 0 ? places : near)
    .map(({ path }) => path)
    .reduce((best, path) => {
      const isNearer =
        path.length - best.length || Number(isWritten(best)) - Number(isWritten(path)) || (path < best ? -1 : 1)
      return isNearer < 0 ? path : best
    })
}
