import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTables, openForWriting, type Db } from '../../../src/main/search/indexing/index-schema.ts'
import { syncAll } from '../../../src/main/search/indexing/sync.ts'
import { unitSettingsOf } from '../../../src/main/search/units/prepare-units.ts'
import { termTables } from '../../../src/main/search/units/unit-schema.ts'
import { UnitStore } from '../../../src/main/search/units/unit-store.ts'
import { builtinFile } from '../../recall/judged-set.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'

const entry = new URL('../../../src/main/search/indexing/prepare.worker.ts', import.meta.url)
const dying = new URL('../../support/dying-prepare-thread.ts', import.meta.url)
const settings = { embedding: { provider: 'builtin', builtinFile }, folders: [] }
const tables = [
  'files',
  'sections',
  'units',
  'words',
  'unit_codes',
  'note_tags',
  'note_properties',
  'note_names',
  ...termTables.map((table) => `${table}_hits`),
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

async function openStore(): Promise<UnitStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  createTables(db, { provider: 'builtin', model: 'm' })
  return new UnitStore(db, unitSettingsOf(settings))
}

/** In the order of the rows, so that incremental readers find the same. */
function contents(db: Db): Partial<Record<string, unknown[]>> {
  return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]))
}

describe('preparation in a worker', () => {
  it('results in the same index as without a worker, even if the worker dies or cannot start', async () => {
    const folders = [{ source: 'memory' as const, folder: await manyNotes(), prefix: '', forbidden: [] }]
    const indexed = async (workerEntry: URL | undefined) => {
      const store = await openStore()
      const steps: number[] = []
      const onProgress = (done: number) => steps.push(done)
      const { changed, problems } = await syncAll(store, folders, {
        onProgress,
        signal: new AbortController().signal,
        worker: workerEntry && { entry: workerEntry, settings },
      })
      expect(problems).toEqual([])
      expect(changed).toHaveLength(count)
      expect(steps.at(-1)).toBe(count)
      expect(steps.length).toBeGreaterThan(2)
      const found = contents(store.db)
      expect(found['unit_codes']?.length).toBeGreaterThan(count)
      store.close()
      return found
    }
    const alone = await indexed(undefined)
    expect(await indexed(entry)).toEqual(alone)
    expect(await indexed(dying)).toEqual(alone)
  })
})
