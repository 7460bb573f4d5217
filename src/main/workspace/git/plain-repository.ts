/** Where a repository lies, found without a Git: beside the folder itself or one above it. */
import * as fs from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'

export interface PlainRepository {
  readonly gitdir: string
  /** The workspace within it, with `/` at its end; empty at its top. */
  readonly prefix: string
}

/** The repository that a folder lies in; undefined for none. */
export async function findPlainRepository(workspace: string): Promise<PlainRepository | undefined> {
  const real = await fs.realpath(workspace)
  for (let folder = real; ; folder = dirname(folder)) {
    const gitdir = await gitdirOf(join(folder, '.git'))
    if (gitdir !== undefined) {
      const inside = relative(folder, real).split(sep).join('/')
      return { gitdir, prefix: inside === '' ? '' : `${inside}/` }
    }
    if (dirname(folder) === folder) return undefined
  }
}

/** A folder, or a file that says where it lies. */
async function gitdirOf(path: string): Promise<string | undefined> {
  try {
    const info = await fs.stat(path)
    if (info.isDirectory()) return path
    const [, said] = /^gitdir: (.+)$/m.exec(await fs.readFile(path, 'utf8')) ?? []
    return said === undefined ? undefined : resolve(dirname(path), said.trim())
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}
