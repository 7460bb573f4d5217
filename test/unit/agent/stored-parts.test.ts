import { existsSync, readdirSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readWithParts, writeWithParts } from '../../../src/main/agent/sessions/stored-requests.ts'
import { folderWith, temporaryFolder, until } from '../../support/folder.ts'

const rules = { field: 'tools', split: (text: string) => text.split(/(--)/) }
const long = (word: string) => `${word} `.repeat(100)

async function partsIn(folder: string): Promise<string[]> {
  const names = (await readdir(join(folder, 'parts'))).filter((name) => name !== 'key')
  return Promise.all(names.map(async (name) => String(gunzipSync(await readFile(join(folder, 'parts', name))))))
}

describe('files that share long texts', () => {
  it.each<[string, object]>([
    ['short and long texts', { a: 'short', b: [long('one'), 1, null, true, { c: long('one') }] }],
    ['texts of several pieces', { a: `${long('one')}--${long('two')}--short--` }],
    ['texts with NUL', { a: '\0', b: `\0${'a'.repeat(32)}\0`, c: `x\0${'b'.repeat(32)}\0${long('one')}` }],
    ['half a surrogate pair', { a: `${long('one')}\ud83c`, b: '\udf75' }],
    ['long tools', { tools: [{ name: 'a', text: long('one') }, `\0${'a'.repeat(32)}\0`] }],
    ['unusual keys', JSON.parse(`{"__proto__":"${long('one')}","2":1,"1":{"toJSON":"a"},"":""}`) as object],
  ])('reads %s as they were', async (_name, value) => {
    const folder = await temporaryFolder()
    await writeWithParts(join(folder, 'a.json.gz'), value, rules)
    expect(JSON.stringify(await readWithParts(join(folder, 'a.json.gz')))).toBe(JSON.stringify(value))
  })

  it('stores each long text once, also with writers at the same time', async () => {
    const folder = await temporaryFolder()
    const value = { system: `${long('one')}--${long('two')}`, tools: [long('three')] }
    const files = Array.from({ length: 20 }, (_, index) => join(folder, `${index}.json.gz`))
    await writeWithParts(join(folder, 'first.json.gz'), {}, rules)
    await Promise.all(files.map((file) => writeWithParts(file, value, rules)))
    expect((await partsIn(folder)).sort()).toEqual(
      [long('one'), [long('three')], long('two')].map((p) => JSON.stringify(p)).sort(),
    )
    for (const file of files) expect(await readWithParts(file)).toEqual(value)
    expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('writes the parts before the file, and no file if they cannot be written', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'a.json.gz')
    const writing = writeWithParts(
      file,
      Array.from({ length: 60 }, (_, index) => long(`text ${index}`)),
      rules,
    )
    await until(() => existsSync(file))
    const parts = readdirSync(join(folder, 'parts')).filter((name) => name.endsWith('.json.gz'))
    await writing
    expect(parts).toHaveLength(60)
    const other = await folderWith({ parts: 'a file' })
    const failing = writeWithParts(join(other, 'a.json.gz'), { a: long('one') }, rules)
    await expect(failing).rejects.toMatchObject({ code: 'write_failed' })
    expect(await readdir(other)).toEqual(['parts'])
  })

  it('shows a placeholder for a missing or damaged part', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'a.json.gz')
    await writeWithParts(file, { a: `${long('one')}--${long('two')}--end`, tools: [long('three')] }, rules)
    for (const name of await readdir(join(folder, 'parts'))) {
      const part = join(folder, 'parts', name)
      const bytes = await readFile(part)
      if (name === 'key') continue
      const text = String(gunzipSync(bytes))
      if (text.includes('one')) await rm(part)
      if (text.includes('two')) await writeFile(part, bytes.subarray(0, bytes.length - 12))
      if (text.includes('three')) await writeFile(part, gzipSync('["half'))
    }
    const removed = '[this part was removed]'
    expect(await readWithParts(file)).toEqual({ a: `${removed}--${removed}--end`, tools: removed })
    // A missing part is stored again with the next value that contains it.
    await writeWithParts(join(folder, 'b.json.gz'), { b: long('one') }, rules)
    expect(await readWithParts(file)).toEqual({ a: `${long('one')}--${removed}--end`, tools: removed })
  })

  it('returns undefined for a missing, damaged or incomplete file, and reads files without parts', async () => {
    const folder = await temporaryFolder()
    const whole = { system: [long('one')], tools: [long('two')] }
    await writeFile(join(folder, 'whole.json.gz'), gzipSync(JSON.stringify(whole)))
    await writeFile(join(folder, 'damaged.json.gz'), 'no gzip')
    await writeFile(join(folder, 'half.json.gz'), gzipSync('{"a":'))
    expect(await readWithParts(join(folder, 'whole.json.gz'))).toEqual(whole)
    for (const name of ['missing', 'damaged', 'half'])
      expect(await readWithParts(join(folder, `${name}.json.gz`)), name).toBeUndefined()
  })

  it('names a part anew after its key was deleted', async () => {
    const folder = await temporaryFolder()
    const store = (name: string) => writeWithParts(join(folder, name), { a: long('one') }, rules)
    await store('a.json.gz')
    await store('b.json.gz')
    expect(await partsIn(folder)).toHaveLength(1)
    await rm(join(folder, 'parts', 'key'))
    await store('c.json.gz')
    expect(await partsIn(folder)).toHaveLength(2)
  })
})
