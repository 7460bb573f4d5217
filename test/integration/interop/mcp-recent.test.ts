/** memory_recent lists the changes since a day, newest first, without private ones. */
import { expect, it } from 'vitest'
import { openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { connectClient, textOf } from '../../support/mcp-clients.ts'

const named = (letter: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${letter}/${at}.md`, `${letter} ${at}\n`]))

it('lists each change once, however it was recorded, and says if there are older ones', async () => {
  const now = new Date(2026, 4, 20, 12)
  const server = await openTestServer({
    files: { ...named('private', 30), ...named('old', 6) },
    config: `agents:
  list:
    - { id: main, workspace: "{{workspace}}" }
  defaults: { visibility: { local: [private/] }, memory: { embedding: { provider: none } } }
`,
    now: () => now,
  })
  const app = await connect(server.url)
  const changes = () => app.history.timeline({ agent: 'main', forProgram: 'reader', limit: 1000 })
  await until(async () => (await changes()).length > 6, 20_000)
  const { token } = await app.clients.issueToken({ client: 'reader', name: 'Reader', agent: 'main' })
  const { call } = await connectClient('v2', { url: new URL('/mcp', server.url).href, token })
  const told = async (args: Record<string, unknown>) => textOf(await call('memory_recent', args))

  const nextMinute = () => now.setTime(now.getTime() + 60_000)
  for (let at = 0; at < 3; at += 1) {
    nextMinute()
    await app.clients.remember({ agent: 'main', client: 'reader', text: `note ${at}` })
  }
  await writeFiles(server.workspace, named('private', 25))
  await writeFiles(server.workspace, named('new', 5))
  await until(async () => (await changes()).filter(({ path }) => path.startsWith('new/')).length === 5, 20_000)
  const listed = [...(await told({})).matchAll(/^\S+ \S+ · (\S+) · .+ · \+\d+ −\d+$/gm)].map(([, path]) => path)
  expect(listed).toEqual((await changes()).map(({ now: path }) => path))
  expect(listed.some((path) => path?.startsWith('private/'))).toBe(false)
  expect(await told({})).toMatch(
    /· memory\/2026-05-20\.md · Reader · \+1 −0\n<memory from="mcp: Reader">\n- 12:03 note 2/,
  )

  now.setDate(now.getDate() + 10)
  expect(await told({})).toBe('Nothing changed.')
  expect(await told({ since: '2026-05-21' })).toBe('Nothing changed.')
  expect(await told({ since: '2026-05-20' })).toContain('note 2')
  await writeFiles(server.workspace, named('more', 120))
  await until(async () => (await changes()).length > 120, 20_000)
  expect(await told({ since: '2026-05-20' })).toMatch(/\nThere are older changes\. /)
}, 120_000)
