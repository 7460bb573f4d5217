import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openAgent } from '../../support/agent.ts'
import { startModelServer } from '../../support/model-server.ts'

const day = '2026-01-20'

async function openChat(settings = '') {
  const server = await startModelServer({ text: 'Good.' })
  const bodies: string[] = []
  server.respond = (body) => {
    const text = JSON.stringify(body)
    if (/Memory flush|an assistant with a memory/.test(text)) bodies.push(text)
    const question = JSON.stringify((body['messages'] as unknown[]).at(-1))
    if (!question.includes('Write this down')) return { text: 'Good.' }
    const content = '- 10:31 The ferry leaves at 07:40'
    return { calls: [{ name: 'write', arguments: { path: `memory/${day}.md`, append: true, content } }] }
  }
  const test = await openAgent(server, {
    model: 'openai-compatible/m',
    defaults: 'memory: { embedding: { provider: none } }',
    settings,
    files: { 'MEMORY.md': '# Long-term memory\n\n- Coffee without sugar\n- Lives in Basel\n' },
  })
  let session: string | undefined
  const send = async (text: string) => {
    session = await test.send(text, session)
  }
  const file = (name: string) => join(test.workspace, name)
  return { ...test, bodies, send, file }
}

function repeatedShare(bodies: readonly string[]): number {
  let repeated = 0
  let total = 0
  for (const [index, body] of bodies.entries()) {
    const before = bodies[index - 1]
    if (before === undefined) continue
    let length = 0
    while (length < before.length && body[length] === before[length]) length += 1
    // The end of a body, after its messages, cannot be part of the next beginning.
    repeated += length
    total += before.length
  }
  return repeated / total
}

it('begins each request of a chat like the one before, over memory writes and flushes', async () => {
  const { app, send, bodies, agent, file } = await openChat(
    'models: { openai-compatible/m: { contextWindow: 16384 } }\n',
  )
  const at = new Date(2026, 0, 20, 10, 30)
  const filler = 'We walked along the river and talked about the old bridge. '.repeat(52)
  for (let turn = 1; turn <= 30; turn += 1) {
    if (turn === 4 || turn === 17)
      await agent.workspace.remember(`The gate code is ${turn}11`, at, { cause: 'capture' })
    if (turn === 8) await writeFile(file('MEMORY.md'), '# Long-term memory\n\n- Coffee with milk\n- Lives in Basel\n')
    if (turn === 12) await writeFile(file('USER.md'), 'Call me Lena.\n')
    await send(turn === 20 || turn === 24 ? `Write this down, ${turn}` : `Turn ${turn}. ${filler}`)
  }
  const last = bodies.at(-1) ?? ''
  await send('/new')
  // The notes of the ended chat are taken in the background.
  await expect.poll(() => bodies.filter((body) => body.includes('Memory flush.')).length).toBe(2)
  await app.close()
  expect(repeatedShare(bodies)).toBeGreaterThan(0.97)
  expect(last).toContain('+ - 10:30 The gate code is 411')
  expect(last).toContain('- - Coffee without sugar\\n+ - Coffee with milk')
  expect(last).toContain('USER.md:\\n+ Call me Lena.')
  // What the agent wrote is in the chat already.
  expect(last).not.toContain('+ - 10:31 The ferry')
  expect(await readFile(file(`memory/${day}.md`), 'utf8')).toContain('The ferry leaves at 07:40')
}, 60_000)

it('sends each change once, and reads the files again in a new chat', async () => {
  const { send, bodies, agent } = await openChat()
  const at = new Date(2026, 0, 20, 10, 30)
  await send('Hello')
  await agent.workspace.remember('The gate code is 411', at, { cause: 'capture' })
  await send('Thanks')
  await send('And now?')
  expect(bodies.map((body) => body.split('The gate code is 411').length - 1)).toEqual([0, 1, 1])
  await send('/new Good morning')
  // The notes of the ended chat are taken in the background.
  const fresh = bodies.findLast((body) => !body.includes('Memory flush.')) ?? ''
  expect(fresh).toContain('The gate code is 411')
  expect(fresh).not.toContain('<changes>\\nmemory')
})

it.each([
  ['a note', '---\nvisibility: private\n---\n- Coffee without sugar\n- Lives in Basel\n', undefined],
  ['a line', '# Long-term memory\n\n- Coffee without sugar ^[private]\n- Lives in Basel\n', '- Lives in Basel\n'],
])('sends no text that was private when it was deleted: %s', async (_what, marked, left) => {
  const { send, bodies, agent } = await openChat()
  await send('Hello')
  expect(bodies.at(-1)).toContain('Coffee without sugar')
  await agent.workspace.write('MEMORY.md', marked, { cause: 'user' })
  if (left === undefined) await agent.workspace.remove('MEMORY.md', { cause: 'user' })
  else await agent.workspace.write('MEMORY.md', left, { cause: 'user' })
  await send('And now?')
  expect(bodies.at(-1)).not.toContain('Coffee without sugar')
})
