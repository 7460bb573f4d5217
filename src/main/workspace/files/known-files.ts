/**
 * Tells files that other programs put into a workspace from known ones: of the first opening, of the app, or accepted.
 * Deleted files stay known, because sync programs and `git checkout` create them again.
 */
import { hash } from 'node:crypto'
import { appendFile, stat } from 'node:fs/promises'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Source } from '#shared/markdown/provenance.ts'
import { onSystemError } from '#shared/util/errors.ts'
import { inBatches, KeyedQueue, readIfExists, writeDurably } from '#platform'
import { findReadableFolder, normalizePath, resolveInside, resolveRealPath, resolveRoots, type Roots } from './paths.ts'
import { refuseUnreadable, walkFiles } from './walk.ts'

/** Text files that `outside` lists. Others, such as source code, change too often. */
const listed = /\.(md|mdown|markdown|mkdn?|txt|csv|tsv|html?|org|tex|canvas)$/i
const pathsAtOnce = 500

export class KnownFiles {
  readonly #file: string
  readonly #roots: Roots
  readonly #queue = new KeyedQueue()
  #keys = new Set<string>()
  /** Bytes of the list when it was read. */
  #size = -1

  /** @param file absolute path of the list: the key of the workspace, then one key per line */
  constructor(file: string, roots: Roots) {
    this.#file = file
    this.#roots = roots
  }

  /** Returns the file itself as the source, if another program created it. @throws AppError as `resolveRealPath` */
  async sourcesOf(path: string): Promise<Source[]> {
    if (findReadableFolder(this.#roots, path)) return []
    const key = keyOf(await resolveRealPath(this.#roots, path, []))
    return this.#withList(async () => (this.#keys.has(key) ? [] : [{ kind: 'file', name: path }]))
  }

  /** Lists the text files of other programs, source code excepted. @throws AppError `folder_unreadable` */
  async outside(): Promise<string[]> {
    return this.#withList(async () =>
      [...(await this.#walk())].flatMap(([key, path]) => (this.#keys.has(key) || !listed.test(path) ? [] : [path])),
    )
  }

  /** Accepts files of other programs. The first call in a workspace accepts all. @throws AppError as `resolveInside`; system errors */
  async accept(paths: readonly string[]): Promise<void> {
    const resolvedRoots = await resolveRoots(this.#roots)
    await inBatches(paths, pathsAtOnce, (path) => resolveInside(resolvedRoots, path))
    await this.#withList(() => this.#append(paths.map(normalizePath).map(keyOf)))
  }

  /** Adds a file that the app wrote, or moved known files. A change does not fail if the list cannot be written. */
  async track(path: string, from = path): Promise<void> {
    const [target, source] = [normalizePath(path), normalizePath(from)]
    const isKnown = (moved: string) =>
      moved.startsWith(`${target}/`) && this.#keys.has(keyOf(source + moved.slice(target.length)))
    await this.#withList(async () => {
      if (target === source || this.#keys.has(keyOf(source))) return this.#append([keyOf(target)])
      await this.#append([...(await this.#walk())].flatMap(([key, moved]) => (isKnown(moved) ? [key] : [])))
    }).catch(onSystemError(undefined))
  }

  async #walk(): Promise<ReadonlyMap<string, string>> {
    const { workspace, forbidden } = this.#roots
    const { files } = await walkFiles(workspace, undefined, forbidden).catch(refuseUnreadable(workspace))
    const paths = new Map<string, string>()
    for (const [index, { path }] of files.entries()) {
      if (index % pathsAtOnce === 0) await yieldToOthers()
      paths.set(keyOf(path), path)
    }
    return paths
  }

  async #append(keys: readonly string[]): Promise<void> {
    const added = keys.filter((key) => !this.#keys.has(key))
    if (added.length === 0) return
    // The first line break ends a line that a crash cut.
    const text = `\n${added.join('\n')}\n`
    await appendFile(this.#file, text)
    for (const key of added) this.#keys.add(key)
    this.#size += Buffer.byteLength(text)
  }

  /** Runs `work` with the current list, to which another process may have added. */
  async #withList<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('', async () => {
      const info = await stat(this.#file).catch(onSystemError(undefined, 'ENOENT'))
      if (info?.size !== this.#size) await this.#read()
      return work()
    })
  }

  async #read(): Promise<void> {
    const folder = keyOf(this.#roots.workspace)
    let lines = (await readIfExists(this.#file))?.split('\n') ?? []
    if (lines[0] !== folder) {
      lines = [folder, ...(await this.#walk()).keys()]
      await writeDurably(this.#file, `${lines.join('\n')}\n`, { newMode: 0o600 })
    }
    this.#keys = new Set(lines.slice(1))
    this.#size = (await stat(this.#file)).size
  }
}

/** Returns a hash: the list must not contain names, which a permanent deletion removes. Only Linux regards the case. */
function keyOf(path: string): string {
  const name = path.normalize('NFC')
  return hash('sha256', process.platform === 'linux' ? name : name.toLowerCase(), 'base64url').slice(0, 22)
}
