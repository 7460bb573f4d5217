/** Full disks: writes are complete or rejected with a reason, and work continues once there is space. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder, until } from '../../support/folder.ts'
import { openAppOn } from '../../support/app.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { isThorough, rounds } from '../../support/thorough.ts'

const megabyte = 1024 * 1024
const mayMount = (() => {
  const disk = mountSmallDisk(megabyte)
  disk?.unmount()
  return disk !== undefined
})()

function smallDisk(bytes: number) {
  const disk = mountSmallDisk(bytes)
  if (!disk) throw new Error('no small disk')
  onTestFinished(() => disk.unmount())
  return disk
}

async function openOn(home: string, workspace: string) {
  await mkdir(workspace, { recursive: true })
  await mkdir(home, { recursive: true })
  await writeFile(join(workspace, 'MEMORY.md'), '# Long-term memory\n')
  await writeFile(join(home, 'config.yaml'), `agents:\n  list:\n    - { id: main, workspace: "${workspace}" }\n`)
  const { app } = await openAppOn(home)
  return { app, agent: await app.agents.get('main') }
}

// Requires permission to mount a small disk.
describe.skipIf(!mayMount)('full disks', () => {
  it('rejects a file that does not fit with the required size; keeps the old file and its history', async () => {
    const disk = smallDisk(8 * megabyte)
    const { agent } = await openOn(join(await temporaryFolder(), 'state'), join(disk.folder, 'workspace'))
    const before = `${'A line of what is known.\n'.repeat(5000)}`
    const { hash } = await agent.workspace.write('MEMORY.md', before, { cause: 'user' })
    disk.fill(88 * 1024)
    await expect(
      agent.workspace.save('MEMORY.md', `${before}and one more\n`, { hash, baseText: before }),
    ).rejects.toMatchObject({ code: 'disk_full', data: { path: 'MEMORY.md', kilobytes: 123 } })
    await expect(agent.workspace.remember('x'.repeat(100_000), new Date(), { cause: 'capture' })).rejects.toMatchObject(
      {
        code: 'disk_full',
      },
    )
    expect((await agent.workspace.read('MEMORY.md')).text).toBe(before)
    await agent.history.flush()
    const changes = agent.history.timeline({ path: 'MEMORY.md', limit: 10 })
    expect(changes.map(({ removed }) => removed)).toEqual([1, 0])
    disk.makeRoom()
    await agent.workspace.save('MEMORY.md', `${before}and one more\n`, { hash, baseText: before })
  })

  it("saves notes while the state folder's disk is full, and records them once there is space", async () => {
    const disk = smallDisk(16 * megabyte)
    const workspace = join(await temporaryFolder(), 'workspace')
    const { app, agent } = await openOn(join(disk.folder, 'state'), workspace)
    await agent.history.flush()
    await agent.memory.settle(10_000)
    disk.fill(0)
    const at = new Date(2026, 0, 20, 9, 5)
    const notes = rounds(8, 40)
    const last = `note-${notes - 1}`
    for (let number = 0; number < notes; number += 1)
      await agent.workspace.remember(`note-${number} ${'word '.repeat(200)}`, at, { cause: 'capture' })
    await expect(agent.drafts.saveMessage('s', { text: 'unsent', attachments: [] })).rejects.toMatchObject({
      code: 'disk_full',
    })
    // Searches report that the index is behind, and the reason.
    const whatIsLacking = { stale: true, standstill: expect.stringMatching(/full/) }
    await until(async () => (await agent.memory.search(last)).standstill !== undefined, 20_000)
    expect(await agent.memory.search(last)).toMatchObject(whatIsLacking)
    expect(await agent.memory.explain(last)).toMatchObject(whatIsLacking)
    await expect(agent.chat.send({ text: 'hello', model: 'offline' })).rejects.toMatchObject({ code: 'disk_full' })
    const log = await readFile(join(workspace, 'memory/2026-01-20.md'), 'utf8')
    for (let number = 0; number < notes; number += 1) expect(log).toContain(`note-${number} word`)
    const isPaused = () => app.health.problems('main').some(({ code }) => code === 'history_failed')
    expect(isPaused()).toBe(true)
    disk.makeRoom()
    // The history continues without a restart, and the author of the lines is unknown.
    await until(() => !isPaused(), 20_000)
    const blamed = await agent.history.blame('memory/2026-01-20.md')
    expect(blamed).toHaveLength(log.split('\n').length - 1)
    expect(new Set(blamed.map(({ cause }) => cause))).toContain('unrecorded')
    const { change = 0 } = await agent.workspace.write('memory/after.md', 'recorded\n', { cause: 'user' })
    expect(agent.history.timeline({ limit: 1 })).toMatchObject([{ change, cause: 'user' }])
    const { session, ended } = await agent.chat.send({ text: 'hello', model: 'offline' })
    await ended
    expect((await agent.sessions.get(session)).messages()).toHaveLength(2)
    // The problem is cleared when the index opens again after 30 s. Tests of the indexer check that with a shorter delay.
    if (!isThorough) await agent.workspace.remember('one more', at, { cause: 'capture' })
    await until(async () => {
      const { results, standstill } = await agent.memory.search(last)
      return (standstill === undefined || !isThorough) && results.length > 0
    }, 40_000)
  }, 120_000)

  it('refuses a note before anything is written if log and notes share a full disk', async () => {
    const disk = smallDisk(16 * megabyte)
    const { agent } = await openOn(join(disk.folder, 'state'), join(disk.folder, 'workspace'))
    await agent.workspace.write('memory/a.md', 'before\n', { cause: 'user' })
    await agent.history.flush()
    await agent.memory.settle(10_000)
    disk.fill(0)
    const text = 'a longer text\n'.repeat(20_000)
    const refused = { code: 'disk_full' }
    await expect(agent.workspace.write('memory/a.md', text, { cause: 'user' })).rejects.toMatchObject(refused)
    await expect(agent.workspace.write('memory/b.md', text, { cause: 'user' })).rejects.toMatchObject(refused)
    expect((await agent.workspace.read('memory/a.md')).text).toBe('before\n')
    expect(await agent.workspace.exists('memory/b.md')).toBe(false)
    disk.makeRoom()
    await agent.workspace.write('memory/a.md', 'after\n', { cause: 'agent' })
    await agent.history.applySettings()
    const causes = agent.history.timeline({ path: 'memory/a.md', limit: 10 }).map(({ cause }) => cause)
    expect(causes).toEqual(['agent', 'user'])
  }, 60_000)
})
