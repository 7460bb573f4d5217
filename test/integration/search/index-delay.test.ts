import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openTestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

const configOf = (debounceMs: number) => `agents:
  defaults: { memory: { embedding: { provider: none }, sync: { debounceMs: ${debounceMs} } } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`

it('memory.sync.debounceMs delays the indexing of a changed file, until a shorter delay is saved', async () => {
  const { app, home, workspace } = await openTestApp({ config: configOf(600_000), watch: true })
  const { memory } = await app.agents.get('main')
  const fileCount = async () => (await memory.status()).files
  await until(async () => (await memory.status()).state === 'ready')
  // Once the folders are watched, they are read again.
  await sleep(3000)
  const before = await fileCount()
  await writeFile(join(workspace, 'first.md'), '# First\n\nThe first note of another program.\n')
  // Twice the default delay.
  await sleep(3000)
  expect(await fileCount()).toBe(before)
  await writeFile(join(home, 'config.yaml'), configOf(50).replaceAll('{{workspace}}', workspace))
  await until(async () => (await fileCount()) === before + 1)
  await writeFile(join(workspace, 'second.md'), '# Second\n\nThe second note of another program.\n')
  await until(async () => (await fileCount()) === before + 2)
}, 30_000)
