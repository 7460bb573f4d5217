import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PreparationWorker } from '../../../src/main/search/indexing/sync.ts'
import { createTables, openForWriting, type Db } from '../../../src/main/search/indexing/index-schema.ts'
import { IndexStore } from '../../../src/main/search/indexing/index-store.ts'
import { syncAll } from '../../../src/main/search/indexing/sync.ts'
import { builtinFile } from '../../recall/judged-set.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'

const entry = new URL('../../../src/main/search/indexing/prepare.worker.ts', import.meta.url)
const dying = new URL('../../support/dying-prepare-thread.ts', import.meta.url)
const tables = [
  'files',
  'chunks',
  'chunk_terms',
  'chunk_days',
  'note_tags',
  'note_properties',
  'note_names',
  'spellings',
  'passages',
  'chunk_passages',
  'passage_bits',
  'passage_digests',
]

const count = 400

/** More notes than fit into one transaction, in several languages, with tags and properties. */
async function manyNotes(): Promise<string> {
  const notes = Array.from({ length: count }, (_, at) => [
    `memory/notes ${at}.md`,
    `---\ntitle: Note ${at}\naliases: [n${at}, 笔记${at}]\ntags: [boats/${at % 7}]\nstatus: open\n---\n# Harbour ${at}\n\nThe dinghy number ${at * 17} lies in Rotterdam since 2026-03-${(at % 28) + 1}.\n\n## 租金\n\n房租一月起多${at}块，#钥匙 在抽屉里。\n\n${'A line of prose that all of them have. '.repeat(at % 40)}\n`,
  ])
  return folderWith(Object.fromEntries(notes) as Record<string, string>)
}

async function openStore(): Promise<IndexStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  createTables(db, { provider: 'builtin', model: 'm', dimensions: 0 })
  return new IndexStore(db, { provider: 'builtin', builtinFile })
}

/** In the order of the rows, so that incremental readers find the same. */
function contents(db: Db): Partial<Record<string, unknown[]>> {
  return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]))
}

function words(db: Db): unknown[] {
  return db.prepare('SELECT word, term FROM spellings ORDER BY word').all()
}

describe('preparation in a worker', () => {
  it('results in the same index as without a worker, even if the worker dies', async () => {
    const folders = [{ source: 'memory' as const, folder: await manyNotes(), prefix: '', forbidden: [] }]
    const indexed = async (prepareEntry: URL | undefined) => {
      const store = await openStore()
      const steps: number[] = []
      const onProgress = (done: number) => steps.push(done)
      const { changed, problems } = await syncAll(store, folders, {
        onProgress,
        signal: new AbortController().signal,
        prepareEntry,
      })
      expect(problems).toEqual([])
      expect(changed).toHaveLength(count)
      expect(steps.at(-1)).toBe(count)
      expect(steps.length).toBeGreaterThan(2)
      const found = contents(store.db)
      expect(found['passage_digests']?.length).toBeGreaterThan(count)
      const phrase = store.db.prepare("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'rotterdam'").all()
      store.close()
      return { ...found, phrase }
    }
    const alone = await indexed(undefined)
    expect(alone.phrase).toHaveLength(count)
    expect(await indexed(entry)).toEqual(alone)
    expect(await indexed(dying)).toEqual(alone)
  })

  it('continues after an abort without missing a spelling', async () => {
    const folders = [{ source: 'memory' as const, folder: await manyNotes(), prefix: '', forbidden: [] }]
    const whole = await openStore()
    const never = new AbortController().signal
    await syncAll(whole, folders, { onProgress: () => undefined, signal: never })
    const store = await openStore()
    const stop = new AbortController()
    const stopped = syncAll(store, folders, {
      onProgress: () => stop.abort(new Error('enough')),
      signal: stop.signal,
      prepareEntry: entry,
    })
    await expect(stopped).rejects.toThrow('enough')
    const begun = store.counts().files
    expect(begun).toBeGreaterThan(0)
    expect(begun).toBeLessThan(count)
    await syncAll(store, folders, { onProgress: () => undefined, signal: never, prepareEntry: entry })
    expect(store.counts()).toEqual(whole.counts())
    expect(words(store.db)).toEqual(words(whole.db))
    store.close()
    whole.close()
  })

  it('prepares files in this thread if the worker cannot start', async () => {
    const ahead = new PreparationWorker(new URL('../../support/no-such-thread.ts', import.meta.url), {
      hasPassages: true,
    })
    const file = {
      path: 'memory/a.md',
      source: 'memory' as const,
      hash: 'x',
      mtime: 0,
      size: 1,
      text: '# A\n\nThe boat.\n',
    }
    const [first] = await ahead.prepare([file])
    expect(first?.chunks).toHaveLength(1)
    expect([...(first?.spellings.keys() ?? [])]).toContain('boat')
    // The worker has exited before this call, so it does not wait.
    const [again] = await ahead.prepare([file])
    expect(again?.chunks).toEqual(first?.chunks)
    expect(again?.spellings.size).toBe(0)
    await ahead.close()
  })
})
