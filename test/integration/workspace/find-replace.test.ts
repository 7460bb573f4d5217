import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { FindEvent, ReplaceEvent } from '../../../src/shared/contract/index.ts'
import { createApp } from '../../../src/main/app/composition/create-app.ts'
import { mainFolder, openTestApp, prepareFolders } from '../../support/app.ts'
import { firstChange, until } from '../../support/folder.ts'
import { rounds, seededRandom } from '../../support/thorough.ts'

const replacer = fileURLToPath(new URL('../../support/crash-replacer.ts', import.meta.url))
const kills = rounds(1, 20)
const many = rounds(100, 250)
const note = (number: number) => `# Note ${number}\n\nThe cat sat.\n\nA cat, a cat.\n`

async function openNotes() {
  const notes = Array.from({ length: many }, (_, number) => [`notes/n${number}.md`, note(number)] as const)
  const test = await openTestApp({ files: { 'MEMORY.md': 'No match.\n', ...Object.fromEntries(notes) }, watch: true })
  const agent = await test.app.agents.get('main')
  const read = (number: number) => readFile(join(test.workspace, `notes/n${number}.md`), 'utf8')
  const find = async (text: string) => {
    const events: FindEvent[] = []
    for await (const event of agent.findReplace.find({ text, isPattern: false, matchCase: true }, undefined))
      events.push(event)
    const found = events.flatMap((event) => (event.type === 'found' ? event.found : []))
    const end = events.at(-1)
    return { events, found, search: end?.type === 'done' ? end.search : '' }
  }
  return { ...test, agent, read, find }
}

async function endOf(events: AsyncIterable<ReplaceEvent>, onStep?: (done: number) => void | Promise<void>) {
  let end: Extract<ReplaceEvent, { type: 'done' }> | undefined
  for await (const event of events) {
    if (event.type === 'done') end = event
    else await onStep?.(event.done)
  }
  return end
}

describe('find and replace in all notes', () => {
  it('reports files that cannot be read, with the reason, and leaves them unchanged', async () => {
    const { find, workspace, agent } = await openNotes()
    const odd = {
      'latin.md': Buffer.from('un caf\xe9, cat\n', 'latin1'),
      'nul.md': Buffer.from('cat\0cat\n'),
      'wide.md': Buffer.from('\ufeffcat\n', 'utf16le'),
    }
    for (const [path, bytes] of Object.entries(odd)) await writeFile(join(workspace, path), bytes)
    const { events, search } = await find('cat')
    expect(events.flatMap((event) => (event.type === 'found' ? event.unread : []))).toEqual([
      { path: 'latin.md', reason: 'encoding' },
      { path: 'nul.md', reason: 'nul' },
      { path: 'wide.md', reason: 'encoding' },
    ])
    expect(await endOf(agent.findReplace.replace({ search, replacement: 'dog' }, { cause: 'user' }))).toMatchObject({
      files: many,
      left: [],
    })
    for (const [path, bytes] of Object.entries(odd)) expect(await readFile(join(workspace, path))).toEqual(bytes)
    await expect(agent.workspace.read('nul.md')).rejects.toMatchObject({ data: { holdsNul: true } })
  })

  it.skipIf(process.platform === 'win32')(
    'leaves and reports a write-protected note; other changes refuse it too',
    async () => {
      const { find, workspace, agent } = await openNotes()
      const file = join(workspace, 'kept.md')
      await writeFile(file, 'a cat\n')
      await chmod(file, 0o444)
      const { search } = await find('cat')
      expect(await endOf(agent.findReplace.replace({ search, replacement: 'dog' }, { cause: 'user' }))).toMatchObject({
        files: many,
        left: [{ path: 'kept.md', reason: 'refused' }],
      })
      const { hash } = await agent.workspace.read('kept.md')
      const refused = { code: 'file_protected', data: { path: 'kept.md' } }
      await expect(agent.workspace.save('kept.md', 'another\n', { hash })).rejects.toMatchObject(refused)
      const all = agent.workspace.runTransaction({}, [{ path: 'kept.md', before: 'a cat\n', after: 'x\n' }], {
        cause: 'user',
      })
      await expect(all).rejects.toMatchObject(refused)
      expect(await readFile(file, 'utf8')).toBe('a cat\n')
      expect((await stat(file)).mode & 0o777).toBe(0o444)
      await chmod(file, 0o644)
      await agent.workspace.save('kept.md', 'another\n', { hash })
    },
  )

  it('finds matches in steps, replaces them, records the user as the cause, and undoes them at once', async () => {
    const { agent, find, read, workspace } = await openNotes()
    const { events, found, search } = await find('cat')
    expect(events.length).toBeGreaterThan(rounds(2, 3))
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(3 * many)
    // Changed between search and replacement: left and reported.
    await writeFile(join(workspace, 'notes/n5.md'), 'cat, but another\n')
    const end = await endOf(agent.findReplace.replace({ search, replacement: 'dog' }, { cause: 'user' }))
    expect(end).toMatchObject({
      count: 3 * (many - 1),
      files: many - 1,
      left: [{ path: 'notes/n5.md', reason: 'changed' }],
      isStopped: false,
    })
    expect((await find('cat')).found).toMatchObject([{ path: 'notes/n5.md', count: 1 }])
    expect(await read(6)).toBe(note(6).replaceAll('cat', 'dog'))
    await agent.history.flush()
    expect((await agent.history.timeline({ path: 'notes/n6.md', limit: 1 }))[0]).toMatchObject({ cause: 'user' })
    expect(await agent.batches.list()).toMatchObject([
      { change: end?.change, kind: 'replacement', from: 'cat', to: 'dog', count: 3 * (many - 1), notes: many - 1 },
    ])
    // Undo keeps later edits.
    await writeFile(join(workspace, 'notes/n7.md'), `More.\n\n${await read(7)}`)
    await writeFile(join(workspace, 'notes/n8.md'), 'All new.\n')
    const back = await agent.batches.undo(end?.change ?? 0, { cause: 'user' })
    expect(back).toMatchObject({ notes: many - 2, left: [{ path: 'notes/n8.md', reason: 'changed', line: 1 }] })
    expect(await read(6)).toBe(note(6))
    expect(await read(7)).toBe(`More.\n\n${note(7)}`)
    expect(await agent.batches.list()).toEqual([])
    await expect(agent.batches.undo(end?.change ?? 0, { cause: 'user' })).rejects.toMatchObject({
      code: 'undo_conflict',
    })
  }, 120_000)

  it('a stop or an early end of the iteration rolls back; unknown searches are refused', async () => {
    const { agent, find, read } = await openNotes()
    const { search } = await find('sat')
    let most = 0
    const replaceAll = () => agent.findReplace.replace({ search, replacement: 'stood' }, { cause: 'user' })
    const end = await endOf(replaceAll(), (done) => {
      most = done
      if (done > 0) agent.findReplace.stop(search)
    })
    expect(most).toBeGreaterThan(0)
    expect(end).toMatchObject({ count: 0, files: 0, isStopped: true, change: null, left: [] })
    expect((await find('stood')).found).toHaveLength(0)
    for await (const event of replaceAll()) if (event.type === 'progress' && event.done > 0) break
    await until(async () => (await find('stood')).found.length === 0, 10_000)
    expect(await read(0)).toBe(note(0))
    expect(await agent.batches.list()).toEqual([])
    const late = await endOf(replaceAll(), (done) => {
      if (done === many) agent.findReplace.stop(search)
    })
    expect(late).toMatchObject({ files: many, isStopped: false, change: expect.any(Number) })
    await agent.batches.undo(late?.change ?? 0, { cause: 'user' })
    expect(await read(0)).toBe(note(0))
    const one = await endOf(
      agent.findReplace.replace(
        { search, replacement: 'lay', paths: ['notes/n1.md', 'elsewhere.md'] },
        { cause: 'user' },
      ),
    )
    expect(one).toMatchObject({ count: 1, files: 1 })
    const unknown = endOf(agent.findReplace.replace({ search: 'x', replacement: 'y' }, { cause: 'user' }))
    await expect(unknown).rejects.toMatchObject({ code: 'search_outdated' })
  }, 120_000)

  it(
    'a replacement is never half done: after a kill at any time, the next start finishes it and can undo it',
    async () => {
      const files = Object.fromEntries(
        Array.from({ length: 120 }, (_, at) => [`notes/n${at}.md`, `A walrus.\n${'text\n'.repeat(at)}`]),
      )
      const { home, workspace } = await prepareFolders({ files })
      const random = seededRandom()
      let ended = 0
      for (let round = 0; round < 2 * kills; round += 1) {
        const child = spawn(process.execPath, [replacer, home], { stdio: ['ignore', 'pipe', 'inherit'] })
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
        while (!output.includes('replacing')) await once(child.stdout, 'data')
        // At any time, or while files change.
        if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, random() * 1000))
        else await firstChange(workspace)
        child.kill('SIGKILL')
        await once(child, 'exit')
        const app = await createApp({ mainFolder, env: {}, home, watch: false })
        const { batches, recoveredChange: completed } = await app.agents.get('main')
        const words = async () =>
          new Set(
            await Promise.all(
              Object.keys(files).map(
                async (path) => /walrus|narwhal/.exec(await readFile(join(workspace, path), 'utf8'))?.[0],
              ),
            ),
          )
        expect((await words()).size).toBe(1)
        const past = (await batches.list()).find(({ change }) => change === completed?.change)
        expect(past === undefined).toBe(completed === undefined)
        if (past) {
          ended += 1
          expect(past).toMatchObject({ kind: 'replacement', notes: 120, count: 120 })
          expect(app.health.problems('main')).toMatchObject([{ code: 'change_ended' }])
          await batches.undo(past.change, { cause: 'user' })
          expect([...(await words())]).toEqual([past.from])
        }
        await app.close()
      }
      expect(ended).toBeGreaterThan(0)
    },
    60_000 + 2 * kills * 20_000,
  )

  it('refuses an invalid pattern, and one that takes too long', async () => {
    const { agent, workspace } = await openNotes()
    await writeFile(join(workspace, 'long.md'), `${'a'.repeat(60)}!\n`)
    for (const text of ['(', '^(a+)+$']) {
      const all = async () => {
        for await (const _event of agent.findReplace.find({ text, isPattern: true, matchCase: false }, undefined));
      }
      await expect(all()).rejects.toMatchObject({ code: 'input_invalid' })
    }
  }, 60_000)
})
