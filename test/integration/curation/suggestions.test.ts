/** Suggestions on real files through the contract: scan, accept, undo, follow, reject. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { textsIn, until } from '../../support/folder.ts'

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T12:00:00')

const files = {
  'MEMORY.md': '# Memory\n\n## People\n\n- Anna prefers green tea in the morning\n- The rent is 1450 euros a month\n',
  'memory/2026-11-02.md':
    '# 2026-11-02\n\n## 09:00 - Tea\n\n- Anna prefers **green tea** in the morning.\n\n## 10:00 - Garage\n\nThe garage is closed until Friday.\n',
  'notes/old.md': 'See [[Rentals]].\n',
  'notes/Rental.md': '# Rental\n\n下周之前要交发票。\n',
}

async function openUpkeep(more: Record<string, string> = {}) {
  const test = await openTestApp({ files: { ...files, ...more }, now, watch: true })
  const { client } = test
  const agent = await test.app.agents.get('main')
  const read = (path: string) => readFile(join(test.workspace, path), 'utf8')
  const everything = () => textsIn(test.workspace)
  const open = async () => (await client.suggestions.list(main)).open
  return { ...test, suggestions: client.suggestions, client, agent, read, everything, open }
}

describe('suggestions', () => {
  it('a scan suggests without changing; one undo reverts an acceptance to the byte', async () => {
    const { suggestions, everything, read, agent, open } = await openUpkeep()
    const before = await everything()
    const shares = new Set<number>()
    agent.suggestions.changes.subscribe(() => {
      const listed = agent.suggestions.list().then(({ progress }) => {
        if (progress && progress.total > 0) shares.add(progress.done / progress.total)
      })
      void listed
    })
    expect(await suggestions.look(main)).toEqual({ added: 3, withdrawn: 0 })
    expect([...shares], 'all files are read').toContain(0.5)
    expect(await everything()).toEqual(before)
    const found = await open()
    expect(found.map(({ rule, evidence }) => [rule, `${evidence[0]?.path}:${evidence[0]?.line}`])).toEqual([
      ['logged', 'memory/2026-11-02.md:5'],
      ['expired', 'memory/2026-11-02.md:9'],
      ['broken', 'notes/old.md:1'],
    ])
    expect(await suggestions.look(main), 'does not suggest the same twice').toEqual({ added: 0, withdrawn: 0 })

    const { acceptance, ...counts } = await suggestions.accept({ ...main, ids: found.map(({ id }) => id) })
    expect(counts).toEqual({ accepted: 3, left: 0, gone: 0 })
    expect(await read('notes/old.md')).toBe('See [[Rental]].\n')
    const log = await read('memory/2026-11-02.md')
    expect(log).toContain('~~The garage is closed until Friday.~~ (until 2026-11-06)\n')
    expect(log).not.toContain('green tea')
    const recorded = agent.history.log.filesOf(acceptance ?? 0)
    expect(recorded.map(({ path }) => path).sort(), 'one change').toEqual(['memory/2026-11-02.md', 'notes/old.md'])
    expect(agent.history.log.setOf(acceptance ?? 0)).toMatchObject({ kind: 'accept', origin: { cause: 'upkeep' } })

    await suggestions.undo({ ...main, acceptance: acceptance ?? 0 })
    expect(await everything()).toEqual(before)
    expect((await open()).length, 'they are open again').toBe(3)
    await expect(suggestions.undo({ ...main, acceptance: acceptance ?? 0 })).rejects.toMatchObject({
      code: 'undo_conflict',
    })
  })

  it('does not suggest a rejected change again, even after its lines moved; it can be reopened', async () => {
    const { suggestions, open, workspace } = await openUpkeep()
    await suggestions.look(main)
    const ids = (await open()).map(({ id }) => id)
    await suggestions.refuse({ ...main, ids })
    await writeFile(join(workspace, 'notes/old.md'), 'One more line.\n\nSee [[Rentals]].\n')
    await suggestions.look(main)
    expect(await open()).toEqual([])
    await suggestions.reopen({ ...main, ids })
    expect((await open()).length).toBe(3)
    await suggestions.snooze({ ...main, ids, until: now().getTime() + 1000 })
    expect(await suggestions.count(main)).toEqual({ open: 0 })
  })

  it('updates a suggestion when its lines move, and withdraws it when they or its evidence are deleted', async () => {
    const { suggestions, open, workspace, read, client } = await openUpkeep()
    await suggestions.look(main)
    const log = 'memory/2026-11-02.md'
    await writeFile(join(workspace, log), `<!-- new -->\n${await read(log)}`)
    await until(async () => (await open()).find(({ rule }) => rule === 'expired')?.evidence[0]?.line === 10)
    const logged = (await open()).find(({ rule }) => rule === 'logged')
    await writeFile(join(workspace, 'MEMORY.md'), '# Memory\n')
    await until(async () => (await open()).every(({ id }) => id !== logged?.id))
    const { done } = await client.suggestions.list(main)
    expect(done.find(({ id }) => id === logged?.id)).toMatchObject({ state: 'withdrawn', gone: 'reason' })
    expect(await suggestions.accept({ ...main, ids: [logged?.id ?? ''] })).toMatchObject({
      accepted: 0,
      acceptance: null,
    })
    expect(await read(log)).toContain('green tea')
  })

  it('can be edited first; never overwrites files that change meanwhile', async () => {
    const { suggestions, open, workspace, read } = await openUpkeep()
    await suggestions.look(main)
    const expired = (await open()).find(({ rule }) => rule === 'expired')
    const id = expired?.id ?? ''
    await suggestions.edit({ ...main, id, after: [['The garage is open.']] })
    await writeFile(join(workspace, 'memory/2026-11-02.md'), `Before.\n${await read('memory/2026-11-02.md')}After.\n`)
    expect(await suggestions.accept({ ...main, ids: [id] })).toMatchObject({ accepted: 1 })
    const log = await read('memory/2026-11-02.md')
    expect(log.startsWith('Before.\n')).toBe(true)
    expect(log).toContain('\n\nThe garage is open.\nAfter.\n')
  })

  it('"outdated" and "wrong" become suggestions of the user, once per line', async () => {
    const { suggestions, open, read } = await openUpkeep()
    const flag = { ...main, path: 'MEMORY.md', line: 6, fault: 'outdated', query: 'How much is the rent?' } as const
    const { id } = await suggestions.flag(flag)
    expect(await suggestions.flag(flag)).toEqual({ id })
    expect(await open()).toMatchObject([
      { id, rule: 'outdated', author: { kind: 'user' }, detail: { query: 'How much is the rent?' } },
    ])
    await suggestions.look(main)
    expect(
      (await open()).some((one) => one.id === id),
      'a scan does not withdraw suggestions of the user',
    ).toBe(true)
    await suggestions.accept({ ...main, ids: [id] })
    expect(await read('MEMORY.md')).toContain('- ~~The rent is 1450 euros a month~~ (until 2026-11-22)\n')
    await expect(suggestions.flag({ ...flag, line: 99 })).rejects.toMatchObject({ code: 'edit_no_match' })
  })
})
