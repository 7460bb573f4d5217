import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { folderWith, temporaryFolder } from '../../support/folder.ts'

const vault = {
  '.obsidian/app.json': '{"newFileLocation":"folder","newFileFolderPath":"Inbox","userIgnoreFilters":["Archive/"]}',
  '.obsidian/daily-notes.json': '{"folder":"Journal","format":"YYYY-MM-DD"}',
  'Home.md': '# Home\n\nThe walrus lives in the harbour. See [[Not yet]].\n',
  'Journal/2024-05-21.md': '# Tuesday\n\nThe walrus ate forty herrings.\n',
  'Archive/old.md': 'The walrus of long ago.\n',
  'files/photo.png': new Uint8Array([137, 80, 78, 71, 0, 1]),
}

/** Returns the path of every file and folder, with a hash of its bytes. */
async function fingerprint(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const hash = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'folder'
    return `${path.slice(folder.length)} ${hash}`
  })
  return (await Promise.all(lines)).sort()
}

async function openVault(files: Readonly<Record<string, string | Uint8Array>> = vault) {
  const test = await openTestApp({ watch: true, now: () => new Date(2026, 0, 20, 10, 30) })
  const folder = await folderWith(files)
  const open = async (seed?: boolean) => {
    const input = { agent: 'main', workspace: folder, locale: 'en' as const, ...(seed === undefined ? {} : { seed }) }
    const { created } = await test.client.agents.setUp(input)
    const agent = await test.app.agents.get('main')
    await agent.memory.settle(10_000)
    return { agent, created }
  }
  return { ...test, folder, open }
}

describe('a vault of another program', () => {
  it('opening, listing, searching, following links and chatting write nothing into it', async () => {
    const { folder, client, open } = await openVault()
    const before = await fingerprint(folder)
    expect(await client.conventions.look({ path: folder })).toMatchObject({
      exists: true,
      isEmpty: false,
      own: [],
      notes: 3,
      habits: { kind: 'obsidian', daily: { folder: 'Journal' } },
    })
    const { agent, created } = await open()
    expect(created).toEqual([])
    await agent.listFiles(undefined)
    const { results } = await agent.memory.search('walrus herrings', {})
    expect(results[0]?.path).toBe('Journal/2024-05-21.md')
    expect((await agent.links.linksOf('Home.md')).outgoing[0]).toMatchObject({ makes: 'Inbox/Not yet.md' })
    const { ended } = await agent.chat.send({ text: 'What did the walrus eat?' })
    await ended
    await agent.history.flush()
    expect(await fingerprint(folder)).toEqual(before)
  })

  it("creates the agent's files on request, and always in a new or empty folder", async () => {
    const { folder, client, open } = await openVault()
    await open()
    const { created } = await open(true)
    const own = ['AGENTS.md', 'MEMORY.md', 'SOUL.md', 'TOOLS.md', 'USER.md']
    expect(created).toEqual(own.map((name) => `.commonplace/${name}`))
    expect(await readFile(join(folder, 'Home.md'), 'utf8')).toBe(vault['Home.md'])
    const empty = await temporaryFolder()
    await writeFile(join(empty, '.DS_Store'), 'x')
    for (const workspace of [empty, join(empty, 'new')]) {
      const made = await client.agents.setUp({ agent: 'main', workspace, locale: 'en' })
      expect(made.created).toContain('AGENTS.md')
      await rm(join(empty, 'AGENTS.md'), { force: true })
    }
  })

  it('reads and writes daily notes in the folder set by the vault', async () => {
    const { folder, open } = await openVault()
    const { agent } = await open()
    const files = await agent.listFiles(undefined)
    expect(files.find(({ path }) => path.startsWith('Journal/'))).toMatchObject({ kind: 'log', date: '2024-05-21' })
    expect(files.find(({ path }) => path === 'Archive/old.md')?.unsearched).toEqual({ reason: 'ignored' })
    const { ended } = await agent.chat.send({ text: 'Remember that the boiler code is 7781' })
    await ended
    const written = await readFile(join(folder, 'Journal/2026-01-20.md'), 'utf8')
    expect(written).toContain('7781')
    expect(existsSync(join(folder, 'memory'))).toBe(false)
    const report = await agent.chat.meter.report(undefined, undefined)
    expect(report.items.map(({ name }) => name)).toContain('Journal/2026-01-20.md')
  })
})
