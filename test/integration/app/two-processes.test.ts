/** Concurrent writes of several processes lose nothing in files or history. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { mainFolder, openTestApp, prepareFolders } from '../../support/app.ts'
import { temporaryFolder, until } from '../../support/folder.ts'
import { isLogSound } from '../../support/log-integrity.ts'
import { logLines } from '../../support/log-lines.ts'

const noteWriter = fileURLToPath(new URL('../../support/note-writer.ts', import.meta.url))

/** @returns the output lines after a successful exit */
async function run(script: string, ...args: string[]): Promise<string[]> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return output.split('\n').filter(Boolean)
}

describe('several processes', () => {
  it('concurrent notes of several processes are in the file, and in the history with their cause', async () => {
    const { home, workspace } = await prepareFolders({})
    const said = await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(noteWriter, home, name, '12')))
    const lines = logLines(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8'))
    for (const note of said.flat()) expect(lines.includes(note), note).toBe(true)

    const app = await createApp({ mainFolder, env: {}, home })
    const { history } = await app.agents.get('main')
    const blamed = await history.blame('memory/2026-01-20.md')
    for (const [index, line] of lines.entries())
      if (line.startsWith('note-')) expect(blamed[index]?.cause, line).toBe('capture')
    await app.close()
    expect(isLogSound(home, workspace)).toBe(true)
  }, 120_000)

  it('while an app is open, writes of commands are recorded in their order', async () => {
    const { app, home, workspace } = await openTestApp({ watch: true })
    const { history, workspace: files } = await app.agents.get('main')
    const at = new Date(2026, 0, 20, 9, 5)
    const own = async () => {
      for (let number = 0; number < 20; number += 1)
        await files.remember(`note-app-${number}`, at, { cause: 'agent', session: 's', turn: 't' })
    }
    await Promise.all([own(), run(noteWriter, home, 'a', '20'), run(noteWriter, home, 'b', '20')])
    const lines = logLines(await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8'))
    expect(lines.filter((line) => line.startsWith('note-'))).toHaveLength(60)
    await history.flush()
    const blamed = await history.blame('memory/2026-01-20.md')
    for (const [index, line] of lines.entries())
      if (line.startsWith('note-'))
        expect(blamed[index]?.cause, line).toBe(line.startsWith('note-app') ? 'agent' : 'capture')
  }, 120_000)

  it('a process continues the history after the other one ends', async () => {
    const folders = await prepareFolders({ files: { 'MEMORY.md': 'one\n' } })
    const first = await createApp({ mainFolder, env: {}, home: folders.home })
    const one = await first.agents.get('main')
    await one.history.flush()
    const second = await createApp({ mainFolder, env: {}, home: folders.home })
    onTestFinished(() => second.close())
    const other = await second.agents.get('main')
    await first.close()
    await other.workspace.write('MEMORY.md', 'from the second\n', { cause: 'user' })
    expect(other.history.timeline({ limit: 1 })[0]?.cause).toBe('user')
    await writeFile(join(folders.workspace, 'MEMORY.md'), 'from another program\n')
    other.history.recordExternalChanges(['MEMORY.md'])
    await until(() => other.history.timeline({ limit: 1 })[0]?.cause === 'outside')
    expect(second.health.problems('main')).toEqual([])
  })
})

describe('a deleted history', () => {
  it('is created again, complete and with a report, if it was deleted while in use', async () => {
    const folders = await prepareFolders({ files: { 'MEMORY.md': 'one\n' } })
    const app = await createApp({ mainFolder, env: {}, home: folders.home })
    onTestFinished(() => app.close())
    const agent = await app.agents.get('main')
    await agent.history.flush()
    await rm(join(folders.home, 'history'), { recursive: true })
    await agent.workspace.write('MEMORY.md', 'two\n', { cause: 'user' })
    await until(() => agent.history.timeline({ limit: 1 }).length === 1)
    expect(app.health.problems('main').map(({ code }) => code)).toContain('history_damaged')
    const [newest] = agent.history.timeline({ limit: 1 })
    expect((await agent.history.diff(newest?.change ?? 0, 'MEMORY.md')).after).toBe('two\n')
  })
})

describe('a transcript that is open twice', () => {
  it('is one complete branch', async () => {
    const file = join(await temporaryFolder(), 'sessions/one.jsonl')
    const here = await Transcript.create(file, '/w', new Date())
    const there = await Transcript.open(file)
    const write = async (transcript: Transcript, name: string) => {
      for (let number = 0; number < 20; number += 1)
        await transcript.appendMessage({ role: 'user', content: `${name}-${number}`, timestamp: number })
    }
    await Promise.all([write(here, 'here'), write(there, 'there')])
    const texts = (transcript: Transcript) => transcript.messages().map(({ message }) => message.content)
    const again = await Transcript.open(file)
    expect(texts(again)).toHaveLength(40)
    for (const name of ['here', 'there'])
      expect(texts(again).filter((text) => String(text).startsWith(`${name}-`))).toHaveLength(20)
    expect(again.skippedLines).toEqual([])
  })

  it('a partly written line is read once it is complete', async () => {
    const file = join(await temporaryFolder(), 'one.jsonl')
    const writer = await Transcript.create(file, '/w', new Date())
    await writer.appendMessage({ role: 'user', content: 'one', timestamp: 1 })
    const whole = await readFile(file, 'utf8')
    await writer.appendMessage({ role: 'user', content: 'two', timestamp: 2 })
    const both = await readFile(file, 'utf8')
    await writeFile(file, both.slice(0, whole.length + 20))
    const reader = await Transcript.open(file)
    expect(reader.messages()).toHaveLength(1)
    await writeFile(file, both)
    await reader.refresh()
    expect(reader.messages().map(({ message }) => message.content)).toEqual(['one', 'two'])
  })
})

describe('changed folders', () => {
  it('does not recreate a workspace that was moved away, and reports the failed write', async () => {
    const { app, workspace } = await openTestApp({ watch: true })
    const agent = await app.agents.get('main')
    await rename(workspace, `${workspace}-moved`)
    await expect(agent.workspace.remember('lost?', new Date(), { cause: 'capture' })).rejects.toMatchObject({
      code: 'folder_gone',
      data: { path: workspace },
    })
    await expect(stat(workspace)).rejects.toThrow('ENOENT')
    await rename(`${workspace}-moved`, workspace)
    await agent.workspace.remember('found', new Date(), { cause: 'capture' })
  })

  it('removes temporary files of killed writes but not files of other programs', async () => {
    const folders = await prepareFolders({
      files: {
        'memory/.commonplace-0123456789abcdef.tmp': 'ours',
        'MEMORY.md.2837465910.tmp': 'of another program',
        'memory/.commonplace-0123456789abcde1.tmp': 'being written',
      },
    })
    const old = new Date(Date.now() - 3 * 86_400_000)
    for (const name of ['memory/.commonplace-0123456789abcdef.tmp', 'MEMORY.md.2837465910.tmp'])
      await utimes(join(folders.workspace, name), old, old)
    await mkdir(join(folders.home, 'agents'), { recursive: true })
    const app = await createApp({ mainFolder, env: {}, home: folders.home })
    onTestFinished(() => app.close())
    await app.agents.get('main')
    const inMemory = () => readdir(join(folders.workspace, 'memory'))
    await until(async () => !(await inMemory()).includes('.commonplace-0123456789abcdef.tmp'))
    expect(await inMemory()).toEqual(['.commonplace-0123456789abcde1.tmp'])
    expect(await readdir(folders.workspace)).toContain('MEMORY.md.2837465910.tmp')
  })
})
