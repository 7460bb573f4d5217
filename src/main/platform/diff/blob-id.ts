import { createHash } from 'node:crypto'

/** Returns the Git blob id (SHA-1) of a text in UTF-8. */
export function blobId(text: string): string {
  return createHash('sha1').update(blobOf(text)).digest('hex')
}

/** Returns the uncompressed Git blob object of a text. */
export function blobOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
}
