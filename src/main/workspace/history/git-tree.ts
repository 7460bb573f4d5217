export interface TreeEntry {
  readonly mode: '100644' | '040000'
  readonly path: string
  readonly oid: string
  readonly type: 'blob' | 'tree'
}

/** Writes a tree object. @returns its id */
export type WriteTree = (entries: TreeEntry[]) => Promise<string>

interface Folder {
  readonly files: Map<string, string>
  readonly folders: Map<string, Folder>
  /** Tree id; undefined if the folder has changed since it was written. */
  oid: string | undefined
}

function emptyFolder(): Folder {
  return { files: new Map(), folders: new Map(), oid: undefined }
}

/** Files of a commit with their blob ids. Writes only the trees of folders that have changed. */
export class FileTree {
  readonly #root = emptyFolder()

  /** Returns the blob id of a file; undefined if there is none. */
  get(path: string): string | undefined {
    const { folder, name } = this.#find(path) ?? {}
    return name === undefined ? undefined : folder?.files.get(name)
  }

  /** @param oid null removes the file, and folders that become empty */
  set(path: string, oid: string | null): void {
    const steps = path.split('/')
    const name = steps.pop() ?? ''
    const chain = [this.#root]
    for (const step of steps) {
      const current = chain.at(-1) ?? this.#root
      const next = current.folders.get(step) ?? emptyFolder()
      current.folders.set(step, next)
      chain.push(next)
    }
    for (const folder of chain) folder.oid = undefined
    const last = chain.at(-1) ?? this.#root
    if (oid !== null) last.files.set(name, oid)
    else {
      last.files.delete(name)
      for (let at = chain.length - 1; at > 0; at -= 1) {
        const folder = chain[at]
        if (!folder || folder.files.size > 0 || folder.folders.size > 0) break
        chain[at - 1]?.folders.delete(steps[at - 1] ?? '')
      }
    }
  }

  *entries(folder: Folder = this.#root, prefix = ''): Generator<readonly [path: string, oid: string]> {
    for (const [name, oid] of folder.files) yield [prefix + name, oid]
    for (const [name, inside] of folder.folders) yield* this.entries(inside, `${prefix}${name}/`)
  }

  /** Writes the trees of changed folders, children first. @returns the id of the root tree */
  async write(writeTree: WriteTree, folder: Folder = this.#root): Promise<string> {
    if (folder.oid !== undefined) return folder.oid
    const entries: TreeEntry[] = []
    for (const [path, oid] of folder.files) entries.push({ mode: '100644', path, oid, type: 'blob' })
    for (const [path, inside] of folder.folders)
      entries.push({ mode: '040000', path, oid: await this.write(writeTree, inside), type: 'tree' })
    folder.oid = await writeTree(entries)
    return folder.oid
  }

  #find(path: string): { folder: Folder; name: string } | undefined {
    const steps = path.split('/')
    const name = steps.pop() ?? ''
    let folder: Folder | undefined = this.#root
    for (const step of steps) folder = folder?.folders.get(step)
    return folder && { folder, name }
  }
}
