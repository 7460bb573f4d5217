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

  /** @param oid null removes the file, and the folders that become empty by this */
  set(path: string, oid: string | null): void {
    const folderNames = path.split('/')
    const name = folderNames.pop() ?? ''
    const folders = [this.#root]
    for (const folderName of folderNames) {
      const current = folders.at(-1) ?? this.#root
      const next = current.folders.get(folderName) ?? emptyFolder()
      current.folders.set(folderName, next)
      folders.push(next)
    }
    for (const folder of folders) folder.oid = undefined
    const parent = folders.at(-1) ?? this.#root
    if (oid !== null) parent.files.set(name, oid)
    else {
      parent.files.delete(name)
      for (let depth = folders.length - 1; depth > 0; depth -= 1) {
        const folder = folders[depth]
        if (!folder || folder.files.size > 0 || folder.folders.size > 0) break
        folders[depth - 1]?.folders.delete(folderNames[depth - 1] ?? '')
      }
    }
  }

  *entries(folder: Folder = this.#root, prefix = ''): Generator<readonly [path: string, oid: string]> {
    for (const [name, oid] of folder.files) yield [prefix + name, oid]
    for (const [name, subfolder] of folder.folders) yield* this.entries(subfolder, `${prefix}${name}/`)
  }

  /** Writes the trees of changed folders, children first. @returns the id of the root tree */
  async write(writeTree: WriteTree, folder: Folder = this.#root): Promise<string> {
    if (folder.oid !== undefined) return folder.oid
    const entries: TreeEntry[] = []
    for (const [path, oid] of folder.files) entries.push({ mode: '100644', path, oid, type: 'blob' })
    for (const [path, subfolder] of folder.folders)
      entries.push({ mode: '040000', path, oid: await this.write(writeTree, subfolder), type: 'tree' })
    folder.oid = await writeTree(entries)
    return folder.oid
  }

  #find(path: string): { folder: Folder; name: string } | undefined {
    const folderNames = path.split('/')
    const name = folderNames.pop() ?? ''
    let folder: Folder | undefined = this.#root
    for (const folderName of folderNames) folder = folder?.folders.get(folderName)
    return folder && { folder, name }
  }
}
