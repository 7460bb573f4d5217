interface TreeEntry {
  readonly mode: '100644' | '040000'
  readonly path: string
  readonly oid: string
  readonly type: 'blob' | 'tree'
}

/** Files of a commit with their blob ids. Writes only the trees of folders that have changed. */
export class FileTree {
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, FileTree>()
  /** Tree id; undefined if a file in it has changed since it was written. */
  #oid: string | undefined

  /** Returns the blob id of a file; undefined if there is none. */
  get(path: string): string | undefined {
    const slash = path.indexOf('/')
    return slash < 0 ? this.#files.get(path) : this.#folders.get(path.slice(0, slash))?.get(path.slice(slash + 1))
  }

  /** @param oid null removes the file, and the folders that become empty by this */
  set(path: string, oid: string | null): void {
    this.#oid = undefined
    const slash = path.indexOf('/')
    if (slash >= 0) {
      const name = path.slice(0, slash)
      const folder = this.#folders.get(name) ?? new FileTree()
      folder.set(path.slice(slash + 1), oid)
      if (folder.#files.size + folder.#folders.size > 0) this.#folders.set(name, folder)
      else this.#folders.delete(name)
    } else if (oid === null) this.#files.delete(path)
    else this.#files.set(path, oid)
  }

  *entries(prefix = ''): Generator<readonly [path: string, oid: string]> {
    for (const [name, oid] of this.#files) yield [prefix + name, oid]
    for (const [name, folder] of this.#folders) yield* folder.entries(`${prefix}${name}/`)
  }

  /** Writes the trees of changed folders, children first. @param writeTree returns the id of a tree, as does this method */
  async write(writeTree: (entries: TreeEntry[]) => Promise<string>): Promise<string> {
    if (this.#oid !== undefined) return this.#oid
    const entries: TreeEntry[] = []
    for (const [path, oid] of this.#files) entries.push({ mode: '100644', path, oid, type: 'blob' })
    for (const [path, folder] of this.#folders)
      entries.push({ mode: '040000', path, oid: await folder.write(writeTree), type: 'tree' })
    this.#oid = await writeTree(entries)
    return this.#oid
  }
}
