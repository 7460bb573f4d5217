/** What kind of picture some bytes are, by how they begin. Pure. */

const beginnings: readonly (readonly [type: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1A\n'],
  ['image/jpeg', 0, '\xFF\xD8\xFF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/avif', 4, 'ftypavis'],
  ['image/bmp', 0, 'BM'],
]

const drawing = 'image/svg+xml'
const drawingStart = /^(?:\uFEFF|\s|<\?xml[^>]*\?>|<!--[^]*?-->|<!DOCTYPE[^>]*>)*<svg[\s>]/i

/** @param said by whoever sent it: SVG is text like any other, and has to be called by its name @returns MIME; undefined for what is no picture */
export function pictureType(bytes: Uint8Array, said: string): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024))
  const text = start.toString('latin1')
  for (const [type, at, mark] of beginnings) if (text.startsWith(mark, at)) return type
  return said === drawing && drawingStart.test(start.toString('utf8')) ? drawing : undefined
}
