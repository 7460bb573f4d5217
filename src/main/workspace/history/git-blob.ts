import { createHash } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { blobOf, writeAtomically } from '#platform'

const compress = promisify(deflate)

/**
 * Writes a text as a blob into a repository.
 * @returns the blob id
 * @throws AppError `disk_full`, `write_failed`
 */
export async function writeBlob(gitdir: string, text: string): Promise<string> {
  const object = blobOf(text)
  const id = createHash('sha1').update(object).digest('hex')
  const file = join(gitdir, 'objects', id.slice(0, 2), id.slice(2))
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) await writeAtomically(file, await compress(object))
  return id
}
