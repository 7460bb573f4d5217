import { mkdir, mkdtemp, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LocalNotes } from '../../../src/main/workspace/privacy/local-notes.ts'
import { plainKey } from '../../../src/main/workspace/privacy/plain-notes.ts'

let root: string
let folder: string
let keptIn: string
/** What is older is taken for settled. */
const settledMs = 2100
const longAgo = new Date('2026-01-02T03:04:05Z')

function notes(): LocalNotes {
  return new LocalNotes(() => [{ folder, prefix: '', forbidden: [], local: [] }], { keptIn })
}

async function write(path: string, text: string, at = longAgo): Promise<void> {
  await writeFile(join(folder, path), text)
  await utimes(join(folder, path), at, at)
}

/** What the next process finds. */
function kept(): Promise<string> {
  return vi.waitFor(() => readFile(keptIn, 'utf8'))
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'plain-notes-'))
  folder = join(root, 'notes')
  keptIn = join(root, 'main.sqlite.plain')
  await mkdir(folder)
  for (let at = 0; at < 30; at += 1) await write(`note-${at}.md`, `# Note ${at}\nnothing to hide`)
  await write('Heim.md', '---\nvisibility: local\n---\nThe key lies under the third stone')
  // Nobody can date back when a file was changed last.
  await sleep(settledMs)
})

describe('what the next process need not read', () => {
  it('notes that changed while nobody looked are read, and local ones always', async () => {
    expect([...(await notes().look()).notes.keys()]).toEqual(['Heim.md'])
    await kept()
    await write('note-3.md', '---\nvisibility: local\n---\nA secret', new Date('2026-02-02T03:04:05Z'))
    await write('note-4.md', '# Note 4\nnothing more to hide ^[local]')
    await write('Heim.md', 'Everybody may know this', new Date('2026-02-02T03:04:05Z'))
    const { notes: local, net } = await notes().look()
    expect([...local.keys()].toSorted()).toEqual(['note-3.md', 'note-4.md'])
    expect(net.holds('The key lies under the third stone')).toBe(false)
  })

  it('a note that was marked is read again, though it has the size and the date of before', async () => {
    await write('note-7.md', 'visibility: none')
    await sleep(settledMs)
    await notes().look()
    await kept()
    await write('note-7.md', 'mine   ^[local] ')
    expect((await notes().look()).notes.has('note-7.md')).toBe(true)
  })

  it('what is kept is believed, and nothing read for it', async () => {
    await notes().look()
    // Else it may be written after what is written here.
    await kept()
    const { size, mtimeMs, ctimeMs } = await stat(join(folder, 'Heim.md'))
    await writeFile(keptIn, `plain notes 3\n${plainKey('Heim.md', `${size} ${mtimeMs} ${ctimeMs} `)}`)
    expect([...(await notes().look()).notes.keys()]).toEqual([])
  })

  it('no name and no word of a note stands in it', async () => {
    await notes().look()
    const text = await kept()
    expect(text.split('\n')).toHaveLength(31)
    expect(text).not.toMatch(/note-|Heim|hide/)
  })

  it('what was written a moment ago may change within the same tick, and is read again', async () => {
    await write('note-5.md', 'aaaa', new Date())
    await notes().look()
    expect((await kept()).split('\n')).toHaveLength(30)
  })

  it.each([
    ['nothing usable', 'some other file'],
    ['keys by older rules', 'plain notes 2\nabc'],
    ['no bytes', ''],
  ])('%s in its place is as good as none', async (_name, text) => {
    await writeFile(keptIn, text)
    expect([...(await notes().look()).notes.keys()]).toEqual(['Heim.md'])
    await vi.waitFor(async () => expect(await readFile(keptIn, 'utf8')).toMatch(/^plain notes 3\n/))
  })

  it('where it cannot be kept, everything is read', async () => {
    const unkept = new LocalNotes(() => [{ folder, prefix: '', forbidden: [], local: [] }], {
      keptIn: join(root, 'no', 'such', 'x'),
    })
    expect([...(await unkept.look()).notes.keys()]).toEqual(['Heim.md'])
    expect([...(await unkept.look()).notes.keys()]).toEqual(['Heim.md'])
  })
})
