import { decodePart } from '../../util/decode.ts'
import type { NoteLink } from './parse-links.ts'
import { pageNames } from './pages.ts'

export interface KnownFile {
  /** Relative to the workspace, forward slashes. */
  readonly path: string
  /** Other names that its text gives it: aliases, titles. */
  readonly names?: readonly string[] | undefined
}

/** How a file was found: as a path from the linking file's folder or from the top, by its own name, or by another. */
export type FoundBy = 'relative' | 'root' | 'name' | 'alias'

export interface Resolution {
  readonly path: string
  readonly by: FoundBy
}

type Target = Pick<NoteLink, 'kind' | 'target'>

const markdown = /\.(?:md|markdown)$/i

/** What a path may leave out: as it looks, the one or the other is tried first. */
const withEnding = ['', '.md', '.markdown']
const withoutEnding = ['.md', '.markdown', '']
/** The note that a folder means (Foam). */
const indexes = ['/index.md', '/readme.md']

/** A file with the keys that every link is held against: in a vault of many languages, one name has dozens of files. */
interface Place {
  readonly path: string
  readonly key: string
  /** Without Markdown's ending. */
  readonly stemKey: string
}

export class Resolver {
  readonly #paths = new Map<string, Place[]>()
  /** By file name, with and without its ending when that is Markdown's. */
  readonly #bases = new Map<string, Place[]>()
  readonly #names = new Map<string, Place[]>()

  constructor(files: Iterable<KnownFile>) {
    for (const { path, names = [] } of files) {
      const key = keyOf(path)
      const place = { path, key, stemKey: stemOf(key) }
      add(this.#paths, key, place)
      const base = baseOf(key)
      add(this.#bases, base, place)
      if (markdown.test(base)) add(this.#bases, stemOf(base), place)
      for (const name of [...pageNames(path), ...names]) add(this.#names, keyOf(name), place)
    }
  }

  /** @param from the file that the link stands in */
  resolve(from: string, { kind, target }: Target): Resolution | undefined {
    if (target === '') return { path: from, by: 'relative' }
    const found = this.#find(from, kind, target.replaceAll('\\', '/'))
    if (found || kind !== 'wiki' || !target.includes('%')) return found
    const decoded = decodePart(target)
    return decoded === target ? undefined : this.#find(from, kind, decoded)
  }

  /** How many files have a name, whatever its case and folder. @param base without `.md` */
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
    const named = this.#named(folder, target)
    // A name that a note gives itself is meant before a file of another kind that happens to have it.
    if (named && (kind !== 'wiki' || markdown.test(named.path))) return named
    return this.#aliased(folder, target) ?? named ?? relative(indexes) ?? root(indexes)
  }

  #exact(folder: string, target: string, by: FoundBy, endings?: readonly string[]): Resolution | undefined {
    const path = joined(folder, target)
    if (path === undefined) return undefined
    for (const ending of endings ?? (path.includes('.') ? withEnding : withoutEnding)) {
      const found = sameCase(this.#paths.get(keyOf(path + ending)), path + ending)
      if (found !== undefined) return { path: found, by }
    }
    return undefined
  }

  /** By the name of the file, or that with some of the folders that it lies in. */
  #named(folder: string, target: string): Resolution | undefined {
    const wanted = keyOf(target.replace(/\/+$/, ''))
    const all = this.#bases.get(keyOf(baseOf(target))) ?? []
    const fitting = all.filter(({ key, stemKey }) =>
      [key, stemKey].some((one) => one === wanted || one.endsWith(`/${wanted}`)),
    )
    const notes = fitting.filter(({ path }) => markdown.test(path))
    const path = nearest(notes.length === 0 || target.includes('.') ? fitting : notes, folder, target)
    return path === undefined ? undefined : { path, by: 'name' }
  }

  #aliased(folder: string, target: string): Resolution | undefined {
    const path = nearest(this.#names.get(keyOf(target)) ?? [], folder, target)
    return path === undefined ? undefined : { path, by: 'alias' }
  }
}

function add(map: Map<string, Place[]>, key: string, place: Place): void {
  const places = map.get(key)
  if (!places) map.set(key, [place])
  // Names of one file come one after the other.
  else if (places.at(-1) !== place) places.push(place)
}

/** Names that differ in case alone, or in how an accent is written, are one name; a sigma at a word's end is a sigma. */
export function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** With its `/` at the end; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

export function stemOf(path: string): string {
  return path.replace(markdown, '')
}

/** @param folder with its `/` @returns undefined for what leads out */
function joined(folder: string, target: string): string | undefined {
  const steps = folder.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..' && steps.length === 0) return undefined
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(step)
  }
  return steps.length === 0 ? undefined : steps.join('/')
}

/** Of files whose names differ in case alone, the one that is written so. */
function sameCase(places: readonly Place[] | undefined, written: string): string | undefined {
  return (places?.find(({ path }) => path === written) ?? places?.[0])?.path
}

/**
 * Below the linking file's folder before elsewhere, then the shortest path, then the first by name. An agent's own files in
 * a hidden folder come last: the vault's program knows nothing of them.
 */
function nearest(all: readonly Place[], folder: string, written: string): string | undefined {
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
