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
  await store.add('main', 'openai/a', usage)
  const added: Promise<void>[] = []
  // A write syncs to the disk, which takes longer than 1 ms: most requests end during a write.
  for (let request = 0; request < 40; request += 1) {
    added.push(store.add('main', 'openai/a', usage))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(added)
  await store.close()
  expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(41)
})
