/** A transcript that two processes write, and folders that change. */
import { mkdir, readdir, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { openAppOn, openTestApp, prepareFolders } from '../../support/app.ts'
import { temporaryFolder, until } from '../../support/folder.ts'

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
    const { app } = await openAppOn(folders.home)
    await app.agents.get('main')
    const inMemory = () => readdir(join(folders.workspace, 'memory'))
    await until(async () => !(await inMemory()).includes('.commonplace-0123456789abcdef.tmp'))
    expect(await inMemory()).toEqual(['.commonplace-0123456789abcde1.tmp'])
    expect(await readdir(folders.workspace)).toContain('MEMORY.md.2837465910.tmp')
  })
})
