/** Benchmarks of the history: its overhead for writes, and the time until a captured note is found. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../src/main/app/composition/create-app.ts'
import { HistoryController } from '../../src/main/workspace/history/history-controller.ts'
import { Workspace } from '../../src/main/workspace/files/workspace.ts'
import { median, type Figure } from './figures.ts'

const mainFolder = new URL('../../src/main/', import.meta.url)
const rounds = 5
const writes = 1000

/** @returns figures in ms, and the overhead of recording in % */
export async function measureHistory(root: string): Promise<Figure[]> {
  const plain: number[] = []
  const recorded: number[] = []
  const settled: number[] = []
  // Alternates both, so that other work on the machine affects both equally.
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await timeOf(() => writeMany(openWorkspace(root, `plain-${round}`))))
    const workspace = openWorkspace(root, `recorded-${round}`)
    const recording = new HistoryController({
      entry: new URL('workspace/history/history.worker.ts', mainFolder),
      folder: join(root, `history-${round}`),
      roots: workspace.roots,
      settings: () => ({ enabled: true }),
      isLongRunning: true,
      now: () => new Date(),
      onFault(error) {
        throw error
      },
    })
    const { history } = recording
    if (!history) throw new Error('the history is off')
    await history.flush()
    workspace.changes.subscribe((write) => recording.record(write))
    recorded.push(await timeOf(() => writeMany(workspace)))
    settled.push(await timeOf(() => history.flush()))
    await recording.close()
  }
  const [before, after] = [median(plain), median(recorded)]
  return [
    { name: `${writes} writes, no history`, value: before, unit: 'ms' },
    { name: `${writes} writes, recorded`, value: after, unit: 'ms' },
    { name: 'what recording adds to a write', value: (after / before - 1) * 100, unit: '%' },
    { name: `${writes} changes in the history, after the last`, value: median(settled), unit: 'ms' },
    { name: 'captured note → found by search, median', value: median(await captures(root)), unit: 'ms', budget: 2000 },
  ]
}

function openWorkspace(root: string, name: string): Workspace {
  const workspace = join(root, name)
  mkdirSync(workspace, { recursive: true })
  return new Workspace({ workspace, forbidden: [] })
}

async function writeMany(workspace: Workspace): Promise<void> {
  for (let number = 0; number < writes; number += 1)
    await workspace.write(`memory/${number % 50}.md`, `note ${number}\n`, { cause: 'user' })
}

async function captures(root: string): Promise<number[]> {
  const workspace = join(root, 'captures')
  mkdirSync(workspace)
  const app = await createApp({ home: join(root, 'capture-home'), workspace, mainFolder, env: {} })
  const agent = await app.agents.get('main')
  const times: number[] = []
  for (const word of ['albatross', 'barnacle', 'cormorant', 'dunlin', 'eider', 'fulmar', 'gannet']) {
    times.push(
      await timeOf(async () => {
        await agent.workspace.remember(`the ${word} nests on the cliff`, new Date(), { cause: 'capture' })
        const isFound = async () => (await agent.memory.search(word)).results.length > 0
        while (!(await isFound()));
      }),
    )
  }
  await app.close()
  return times
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
