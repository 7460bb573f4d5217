import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EmbeddingSource } from '../../../src/main/search/embeddings/create-embeddings.ts'
import { openIndexFile } from '../../../src/main/search/indexing/index-file.ts'
import { temporaryFolder } from '../../support/folder.ts'

const sourceOf = (model: string): EmbeddingSource => ({
  provider: 'openai',
  model,
  baseUrl: undefined,
  batchSize: 1,
  apiKey: 'k',
  isLocal: false,
  allowDownload: false,
  modelsFolder: '',
  outboundFile: '',
  builtinFile: '',
})

/** Settings for a model; the index of the first one stays usable meanwhile. */
const settingsOf = (file: string, model: string) => ({
  file,
  embedding: sourceOf(model),
  notes: [],
  earlier: [sourceOf('one')],
})

/** Opens the index for a model, adds a text with a vector to it, and closes it. */
async function addText(file: string, model: string, text: string) {
  const { store, old, rebuildPath } = await openIndexFile(settingsOf(file, model))
  const at = { path: `${text}.md`, source: 'memory' as const, hash: text, mtime: 0, size: 1 }
  store.replaceFile(store.prepare({ ...at, text: `# ${text}\n\nThe ${text}.\n` }))
  const units = store.textsToEmbed(0, 10)
  const embedded = units.map(({ id, hash }) => ({ id, hash, vector: Float32Array.from([1, 0]) }))
  store.storeVectors('openai', model, embedded)
  store.close()
  old?.close()
  return { rebuildPath, hashes: units.map(({ hash }) => hash) }
}

async function folderWithIndex() {
  const folder = await temporaryFolder()
  const file = join(folder, 'index.sqlite')
  const { hashes } = await addText(file, 'one', 'walrus')
  return { folder, file, hash: hashes[0] ?? '' }
}

describe('index file', () => {
  it('carries the vectors of an unfinished rebuild to a rebuild for other settings and back', async () => {
    const { folder, file, hash } = await folderWithIndex()
    const second = await addText(file, 'two', 'quokka')
    expect(second.rebuildPath).toBe(`${file}.next`)
    await addText(file, 'three', 'narwhal')
    const { store, old, rebuildPath } = await openIndexFile(settingsOf(file, 'two'))
    expect(old?.counts()).toMatchObject({ files: 1, embedded: 1 })
    expect(rebuildPath).toBe(`${file}.next`)
    expect(store.cachedVector('openai', 'two', second.hashes[0] ?? '', 2)).toBeDefined()
    store.close()
    old?.close()
    const restored = await openIndexFile(settingsOf(file, 'one'))
    expect(restored).toMatchObject({ isReplaced: false })
    expect(restored.rebuildPath).toBeUndefined()
    expect(restored.store.counts()).toMatchObject({ files: 1, embedded: 1 })
    expect(restored.store.cachedVector('openai', 'one', hash, 2)).toBeDefined()
    restored.store.close()
    expect(await readdir(folder)).toEqual(['index.sqlite'])
  })

  it('replaces a corrupt index by its unfinished rebuild, with the vectors of both', async () => {
    const { folder, file, hash } = await folderWithIndex()
    const second = await addText(file, 'two', 'quokka')
    const handle = await open(file, 'r+')
    // A page after the schema.
    await handle.write(Buffer.alloc(4096, 0xff), 0, 4096, 2 * 4096)
    await handle.close()
    const { store, isReplaced, rebuildPath } = await openIndexFile(settingsOf(file, 'two'), true)
    expect(isReplaced).toBe(true)
    expect(rebuildPath).toBeUndefined()
    expect(store.counts()).toMatchObject({ files: 1, embedded: 1 })
    expect(store.cachedVector('openai', 'two', second.hashes[0] ?? '', 2)).toBeDefined()
    expect(store.cachedVector('openai', 'one', hash, 2)).toBeDefined()
    store.close()
    expect(await readdir(folder)).toEqual(['index.sqlite'])
  })
})
