import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import type { Moving } from '../../../src/shared/contract/index.ts'
import { createRouter } from '../../../src/main/app/api/router.ts'
import { openTestApp } from '../../support/app.ts'
import { rounds } from '../../support/thorough.ts'

const count = rounds(150, 300)
const main = { agent: 'main' }
const move = { ...main, from: 'area', to: 'past/zone' }

const nameOf = (number: number) => `area/part ${(number % count) % 7}/note ${number % count}`

function vault(): Record<string, string> {
  const notes = Array.from({ length: count }, (_, number) => {
    const links = [1, 5, 17, 71].map((step) => `[[${nameOf(number + step)}]]`)
    return [`${nameOf(number)}.md`, `# Note ${number}\n\n${links.join(' and ')}\n`]
  })
  return Object.fromEntries([...notes, ['Home.md', `[one](<${nameOf(1)}.md>)\n`]])
}

async function openVault() {
  const test = await openTestApp({ files: vault(), watch: true })
  const agent = await test.app.agents.get('main')
  // The first scan of all files has no fixed time.
  await agent.history.flush()
  const { links, history } = createRouterClient(createRouter(test.app))
  const { revert, batches } = history
  const told: (Moving | null)[] = []
  agent.batches.progress.subscribe((moving) => told.push(moving))
  const all = async () => {
    const entries = await readdir(test.workspace, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return Object.fromEntries(await Promise.all(paths.sort().map(async (path) => [path, await readFile(path, 'utf8')])))
  }
  return { ...test, agent, links, revert, batches, told, all }
}

describe('a move of many notes', () => {
  it('reports progress, keeps every link, is one batch in the history, and can be undone', async () => {
    const { agent, links, revert, told, all, workspace } = await openVault()
    const before = await all()
    const plan = await links.planMove(move)
    expect(plan).toMatchObject({ moves: count, notes: count + 1, links: count * 4 + 1, left: [] })
    const done = await links.move({ ...move, plan: plan.id })
    const steps = told.filter((one) => one !== null)
    expect(steps.length).toBeGreaterThan(rounds(3, 10))
    expect(steps.map((one) => one.done)).toEqual(steps.map((one) => one.done).toSorted((one, other) => one - other))
    expect(steps.at(-1)).toMatchObject({ from: 'area', to: 'past/zone', done: count + 1, total: count + 1 })
    expect(told.at(-1)).toBeNull()
    expect(await links.moving(main)).toBeNull()
    expect(await readFile(join(workspace, nameOf(0).replace('area', 'past/zone').concat('.md')), 'utf8')).toContain(
      `[[${nameOf(1).replace('area', 'past/zone')}]]`,
    )
    expect((await links.planMove({ ...main, from: 'past/zone', to: 'area' })).links).toBe(count * 4 + 1)
    await agent.history.flush()
    const [last] = await agent.history.timeline({ since: 0, limit: 1 })
    expect(last).toMatchObject({ cause: 'user' })
    await revert({ ...main, change: done.change ?? 0 })
    expect(await all()).toEqual(before)
  }, 60_000)

  it('rolls back when cancelled in time, and completes otherwise', async () => {
    const { agent, home, links, batches, all } = await openVault()
    const before = await all()
    for (const at of [0, count / 3, count / 2]) {
      const plan = await links.planMove(move)
      const stop = agent.batches.progress.subscribe((moving) => {
        if (moving && !moving.isCancelled && moving.done >= at) agent.batches.cancel()
      })
      await expect(links.move({ ...move, plan: plan.id })).rejects.toMatchObject({ code: 'move_cancelled' })
      stop()
      expect(await all()).toEqual(before)
      expect(existsSync(join(home, 'agents/main/pending-change.json'))).toBe(false)
      expect(await batches(main)).toEqual([])
    }
    const plan = await links.planMove(move)
    agent.batches.progress.subscribe((moving) => {
      if (moving?.done === moving?.total) agent.batches.cancel()
    })
    await links.move({ ...move, plan: plan.id })
    expect((await batches(main)).map(({ to }) => to)).toEqual(['past/zone'])
    await links.cancelMove(main)
  }, 60_000)
})
