import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { UsageStore } from '../../../src/main/llm/usage/usage-store.ts'
import type { Usage } from '../../../src/shared/chat/messages.ts'
import { temporaryFolder } from '../../support/folder.ts'

const usage: Usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }

it('stores requests that end while earlier ones are being written', async () => {
  const file = join(await temporaryFolder(), 'usage.jsonl')
  const store = new UsageStore({
    file,
    now: () => new Date(2026, 0, 20),
    settings: {} as never,
    onProblem: (problem) => {
      throw problem
    },
  })
  const added: Promise<void>[] = []
  // Requests end while the first lines are on their way to the disk.
  for (let request = 0; request < 30; request += 1) {
    added.push(store.add('main', 'openai/a', usage))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(added)
  await store.close()
  expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(30)
})
