import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { zipName } from '../../../src/main/interop/import/archive.ts'

const note = Buffer.from('笔记.md')
const gbk = Buffer.from([0xb1, 0xca, 0xbc, 0xc7, ...Buffer.from('.md')])
const dos = Buffer.from([...Buffer.from('Caf'), 0x82, ...Buffer.from('.md')])

/** Extra field 0x7075 behind another one. */
function unicode(of: Buffer, name: Buffer, version = 1): Buffer {
  const head = Buffer.alloc(9)
  head.writeUInt16LE(0x7075, 0)
  head.writeUInt16LE(5 + name.length, 2)
  head.writeUInt8(version, 4)
  head.writeUInt32LE(crc32(of), 5)
  return Buffer.concat([Buffer.from([0x55, 0x54, 1, 0, 0]), head, name])
}

describe('names in a zip', () => {
  it.each<[string, Buffer, Buffer, string]>([
    ['plain', Buffer.from('a/b.md'), Buffer.alloc(0), 'a/b.md'],
    ['UTF-8 without the flag', note, Buffer.alloc(0), '笔记.md'],
    ['GBK', gbk, Buffer.alloc(0), '笔记.md'],
    ['code page 437', dos, Buffer.alloc(0), 'Café.md'],
    ['with a Unicode field', dos, unicode(dos, note), '笔记.md'],
    ['with a truncated Unicode field', gbk, unicode(gbk, note).subarray(0, -2), '笔记.md'],
  ])(' %s', (_, name, extra, read) => expect(zipName(name, extra)).toBe(read))
})
