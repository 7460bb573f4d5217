import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Moving } from '../../../src/shared/contract/index.ts'
import { openTestApp } from '../../support/app.ts'
import { textsIn } from '../../support/folder.ts'
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
  const { links, history } = test.client
  const told: (Moving | null)[] = []
  agent.batches.progress.subscribe((moving) => told.push(moving))
  return { ...test, agent, links, batches: history.batches, told, all: () => textsIn(test.workspace) }
}

describe('a move of many notes', () => {
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
