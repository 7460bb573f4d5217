import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { LocalNotes } from '../../../src/main/workspace/privacy/local-notes.ts'
import { plainKey } from '../../../src/main/workspace/privacy/plain-notes.ts'

/** One folder for each test. They wait together until their notes count as settled. */
const roots: string[] = []
let started = 0
let root: string
let folder: string
let keptIn: string
/** Tests in this file. */
const tests = 9
/** Older changes count as settled. */
const settledMs = 2100
const longAgo = new Date('2026-01-02T03:04:05Z')

function notes(): LocalNotes {
  return new LocalNotes(() => [{ folder, prefix: '', forbidden: [], local: [] }], { keptIn })
}

async function write(path: string, text: string, at = longAgo): Promise<void> {
  await writeFile(join(folder, path), text)
  await utimes(join(folder, path), at, at)
}

/** Reads the cache file for the next process. */
function kept(): Promise<string> {
  return vi.waitFor(() => readFile(keptIn, 'utf8'))
}

function openFolder(at: string): void {
  root = at
  folder = join(root, 'notes')
  keptIn = join(root, 'main.sqlite.plain')
}

async function makeRoot(): Promise<string> {
  openFolder(await mkdtemp(join(tmpdir(), 'plain-notes-')))
  await mkdir(folder)
  for (let at = 0; at < 30; at += 1) await write(`note-${at}.md`, `# Note ${at}\nnothing to hide`)
  await write('Heim.md', '---\nvisibility: local\n---\nThe key lies under the third stone')
  return root
}

beforeAll(async () => {
  for (let number = 0; number < tests; number += 1) roots.push(await makeRoot())
  // The ctime of a file cannot be set.
  await sleep(settledMs)
})

beforeEach(() => openFolder(roots[started++] ?? ''))

afterAll(() => Promise.all(roots.map((path) => rm(path, { recursive: true, force: true }))))

describe('cache of notes without privacy markers', () => {
  it('reads notes that changed while the app was closed, and local notes always', async () => {
    expect([...(await notes().look()).notes.keys()]).toEqual(['Heim.md'])
    await kept()
    await write('note-3.md', '---\nvisibility: local\n---\nA secret', new Date('2026-02-02T03:04:05Z'))
    await write('note-4.md', '# Note 4\nnothing more to hide ^[local]')
    await write('Heim.md', 'Everybody may know this', new Date('2026-02-02T03:04:05Z'))
    const { notes: local, net } = await notes().look()
    expect([...local.keys()].toSorted()).toEqual(['note-3.md', 'note-4.md'])
    expect(net.contains('The key lies under the third stone')).toBe(false)
  })

  it('reads a marked note again, even with the same size and date', async () => {
    await write('note-7.md', 'visibility: none')
    await sleep(settledMs)
    await notes().look()
    await kept()
    await write('note-7.md', 'mine   ^[local] ')
    expect((await notes().look()).notes.has('note-7.md')).toBe(true)
  })

  it('trusts the cache without reading the note', async () => {
    await notes().look()
    // Otherwise the scanner may write the file after this test does.
    await kept()
    const { size, mtimeMs, ctimeMs } = await stat(join(folder, 'Heim.md'))
    await writeFile(keptIn, `plain notes 3\n${plainKey('Heim.md', `${size} ${mtimeMs} ${ctimeMs} `)}`)
    expect([...(await notes().look()).notes.keys()]).toEqual([])
  })

  it('contains no name and no text of a note', async () => {
    await notes().look()
    const text = await kept()
    expect(text.split('\n')).toHaveLength(31)
    expect(text).not.toMatch(/note-|Heim|hide/)
  })

  it('excludes notes that were written a moment ago: they may change within the same clock tick', async () => {
    await write('note-5.md', 'aaaa', new Date())
    await notes().look()
    expect((await kept()).split('\n')).toHaveLength(30)
  })

  it.each([
    ['another file', 'some other file'],
    ['an older format', 'plain notes 2\nabc'],
    ['an empty file', ''],
  ])('replaces %s', async (_name, text) => {
    await writeFile(keptIn, text)
    expect([...(await notes().look()).notes.keys()]).toEqual(['Heim.md'])
    await vi.waitFor(async () => expect(await readFile(keptIn, 'utf8')).toMatch(/^plain notes 3\n/))
  })

  it('reads all notes if the cache cannot be written', async () => {
    const unkept = new LocalNotes(() => [{ folder, prefix: '', forbidden: [], local: [] }], {
      keptIn: join(root, 'no', 'such', 'x'),
    })
    expect([...(await unkept.look()).notes.keys()]).toEqual(['Heim.md'])
    expect([...(await unkept.look()).notes.keys()]).toEqual(['Heim.md'])
  })
})
