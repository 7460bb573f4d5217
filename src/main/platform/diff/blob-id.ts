import { createHash } from 'node:crypto'

export function blobId(text: string): string {
  return createHash('sha1').update(blobOf(text)).digest('hex')
}

/** The text as an object of Git's, before it is compressed. */
export function blobOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
}
