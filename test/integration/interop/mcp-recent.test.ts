/** memory_recent lists every change exactly once. */
import { expect, it } from 'vitest'
import { openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { connectClient } from '../../support/mcp-clients.ts'

interface Recent {
  readonly changes: readonly { readonly path: string; readonly at: string; readonly added: number }[]
  readonly leftOut?: { readonly what: string; readonly howToGet: string }
}

const named = (letter: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${letter}/${at}.md`, `${letter} ${at}\n`]))

async function open() {
  const files = { ...named('private', 30), ...named('old', 60) }
  const server = await openTestServer({
    files,
    config: `agents:
  list:
    - { id: main, workspace: "{{workspace}}" }
  defaults: { visibility: { local: [private/] }, memory: { embedding: { provider: none } } }
`,
  })
  const app = await connect(server.url)
  const changes = () => app.history.timeline({ agent: 'main', forProgram: 'reader', limit: 1000 })
  await until(async () => (await changes()).length > 60, 20_000)
  const { token } = await app.clients.issueToken({ client: 'reader', name: 'Reader', agent: 'main' })
  const { call } = await connectClient('v2', { url: new URL('/mcp', server.url).href, token })
  return { ...server, app, call, changes }
}

it('paging returns every change once, however it was recorded', async () => {
  const { app, call, changes, workspace } = await open()
  for (let at = 0; at < 12; at += 1) await app.clients.remember({ agent: 'main', client: 'reader', text: `note ${at}` })
  // More than one page of hidden changes, and many files in one change.
  await writeFiles(workspace, named('private', 25))
  await writeFiles(workspace, named('new', 20))
  await until(async () => (await changes()).filter(({ path }) => path.startsWith('new/')).length === 20, 20_000)
  const all = (await changes()).map(({ now, at }) => `${now} ${new Date(at).toISOString()}`)
  expect(all.length).toBeGreaterThan(90)
  expect(all.some((one) => one.startsWith('private/'))).toBe(false)
  for (const args of [{ limit: 100, maxTokens: 20_000 }, { limit: 7 }, { limit: 100, maxTokens: 1000 }]) {
    const told: string[] = []
    for (let before: number | undefined, pages = 0; pages < 60; pages += 1) {
      const { structuredContent } = await call('memory_recent', { ...args, ...(before ? { before } : {}) })
      const { changes: page, leftOut } = structuredContent as unknown as Recent
      expect(page.length).toBeLessThanOrEqual(args.limit)
      told.push(...page.map(({ path, at }) => `${path} ${at}`))
      const cursor = /before: (\d+)/.exec(leftOut?.howToGet ?? '')?.[1]
      if (cursor === undefined) break
      before = Number(cursor)
      expect(leftOut?.what).toContain('older changes')
    }
    expect(told, JSON.stringify(args)).toEqual(all)
  }
}, 180_000)
