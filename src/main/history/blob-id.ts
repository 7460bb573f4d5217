/** Texts as Git has them: the id that it gives one, and the file that it keeps one in. */
import { createHash } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { writeWhole } from '../files/index.ts'

const compress = promisify(deflate)

export function blobId(text: string): string {
  return createHash('sha1').update(objectOf(text)).digest('hex')
}

/** Puts a text into a repository, without a word of it to anybody. @returns its id @throws AppError `disk_full`, `write_failed` */
export async function writeBlob(gitdir: string, text: string): Promise<string> {
  const object = objectOf(text)
  const id = createHash('sha1').update(object).digest('hex')
  const file = join(gitdir, 'objects', id.slice(0, 2), id.slice(2))
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) await writeWhole(file, await compress(object))
  return id
}

function objectOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
}
