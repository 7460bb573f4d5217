import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'

const main = { agent: 'main' }

describe('attachments', () => {
  it('returns a large file in pieces, with type, size and time', async () => {
    const bytes = Uint8Array.from({ length: 2_500_000 }, (_, index) => (index * 7) % 251)
    const { client } = await openTestApp({ files: { 'img/a picture.png': bytes, 'empty.pdf': '' } })
    const { workspace } = client
    const parts: Buffer[] = []
    let from = 0
    for (;;) {
      const piece = await workspace.attachment({ ...main, path: 'img/a picture.png', from })
      expect(piece).toMatchObject({ type: 'image/png', size: bytes.length })
      const part = Buffer.from(piece.data, 'base64')
      parts.push(part)
      from += part.length
      if (from >= piece.size) break
    }
    expect(parts.length).toBe(3)
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    expect(await workspace.attachment({ ...main, path: 'empty.pdf' })).toMatchObject({ size: 0, data: '' })
    expect(await workspace.attachment({ ...main, path: 'empty.pdf', from: 99 })).toMatchObject({ data: '' })
  })
})
