import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { workerEntry } from '../../../src/main/platform/workers/worker-start.ts'
import { ScannerWorker } from '../../../src/main/workspace/privacy/scanner-worker.ts'
import { LocalNotes, type Snapshot } from '../../../src/main/workspace/privacy/local-notes.ts'
import { createAdaptiveStat } from '../../../src/main/workspace/files/stat-file.ts'
import { mainFolder } from '../../support/built.ts'
import { temporaryFolder } from '../../support/folder.ts'

const entry = workerEntry(mainFolder, 'workspace/privacy/scanner.worker')
let folder: string

beforeEach(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder, 'memory'))
  for (let at = 0; at < 40; at += 1) await writeFile(join(folder, `memory/note-${at}.md`), `# Note ${at}\n`)
  await writeFile(join(folder, 'Heim.md'), '---\nvisibility: local\n---\nThe key lies under the third stone\n')
})

function folders(local: readonly string[] = []) {
  return [{ folder, prefix: '', forbidden: [], local }]
}

function pathsOf({ notes }: Snapshot): string[] {
  return [...notes.keys()].toSorted()
}

describe('frequent privacy scans', () => {
  it('see each change of markers, rules and paths immediately, in either thread', async () => {
    const local: string[] = []
    const notes = new LocalNotes(() => folders(local), { entry })
    onTestFinished(() => notes.close())
    for (let round = 0; round < 4; round += 1) {
      expect(pathsOf(await notes.look())).toEqual(['Heim.md'])
      await writeFile(
        join(folder, 'memory/note-3.md'),
        `Everybody\n\nThe secret that belongs to round ${round} ^[local]\n`,
      )
      const marked = await notes.look()
      expect(pathsOf(marked)).toEqual(['Heim.md', 'memory/note-3.md'])
      expect(marked.notes.get('memory/note-3.md')?.localLines).toEqual(new Set([2]))
      expect(marked.net.contains(`he said: the secret that belongs to round ${round}`)).toBe(true)
      await rename(join(folder, 'Heim.md'), join(folder, 'memory/Home.md'))
      expect(pathsOf(await notes.look())).toEqual(['memory/Home.md', 'memory/note-3.md'])
      await rename(join(folder, 'memory/Home.md'), join(folder, 'Heim.md'))
      await rm(join(folder, 'memory/note-3.md'))
      local.push('memory/note-4.md')
      const ruled = await notes.look()
      expect(ruled.notes.get('memory/note-4.md')).toMatchObject({ isFullyLocal: true, rule: 'memory/note-4.md' })
      local.length = 0
    }
  })

  it('return the same result if nothing changed, and start a new worker after the old one ends', async () => {
    const thread = new ScannerWorker(entry, undefined)
    onTestFinished(() => thread.close())
    const first = await thread.scan(folders())
    expect(await thread.scan(folders())).toBe(first)
    await thread.close()
    const second = await thread.scan(folders())
    expect(second).not.toBe(first)
    expect(second.local).toEqual(first.local)
  })

  it('fail if the scanner is closed meanwhile', async () => {
    const thread = new ScannerWorker(entry, undefined)
    const look = thread.scan(folders())
    await Promise.all([expect(look).rejects.toThrow(/ended/), thread.close()])
  })

  it('use a worker from the third scan on', () => {
    const thread = new ScannerWorker(entry, undefined)
    expect([1, 2, 3, 4].map(() => thread.isWorthIt())).toEqual([false, false, true, true])
  })

  it('askDirectly() returns the metadata of a file, and throws if it does not exist', async () => {
    const ask = createAdaptiveStat()
    expect(await ask(join(folder, 'Heim.md'))).toMatchObject({ size: 61 })
    expect(() => ask(join(folder, 'nothing.md'))).toThrow(/ENOENT/)
  })
})
