/** Concurrent writes of several processes lose nothing in files or history. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, stat, utimes } from 'node:fs/promises'
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
