import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { sessionEvents } from '../../../src/main/agent/sessions/session-events.ts'
import { openAgent } from '../../support/agent.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

async function ask(text: string, answers: ScriptedAnswer[], { withoutMemory = false, fails = false } = {}) {
  const server = await startModelServer({ text: 'Fine.' })
  server.title = 'x'.repeat(200)
  let asked = 0
  server.respond = () => answers[asked++] ?? { text: 'Fine.' }
  const test = await openAgent(server, {
    model: 'openai-compatible/m',
    defaults: 'memory: { embedding: { provider: none } }',
  })
  const session = await test.send(text, undefined, { withoutMemory })
  const transcript = await test.agent.sessions.get(session)
  if (!fails) await vi.waitFor(() => expect(transcript.name).toBeDefined(), { timeout: 10_000 })
  await test.send('Thanks', session)
  await test.app.close()
  await transcript.refresh()
  const log = await readFile(join(test.workspace, 'memory/2026-01-20.md'), 'utf8').catch(() => undefined)
  const titles = server.titleRequests.length
  return { log, titles, events: sessionEvents(transcript.branch()).map(({ event }) => event) }
}

it.each([
  ['Remember that the gate code is 4711', 'the gate code is 4711'],
  ['记住：房东叫王强', '房东叫王强'],
])('saves the note of %j if the model only answers', async (text, note) => {
  const { log, events } = await ask(text, [{ text: 'I will remember that.' }])
  expect(log).toBe(`# 2026-01-20\n\n- 10:30 ${note}\n`)
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'command',
      command: 'remember',
      outcome: expect.objectContaining({ kind: 'remembered' }),
    }),
  )
})

it('saves the note if the answer is empty', async () => {
  const empty = { text: '' }
  const { log } = await ask('Remember that the gate code is 4711', [empty, empty, empty], { fails: true })
  expect(log).toBe('# 2026-01-20\n\n- 10:30 the gate code is 4711\n')
})

it('saves nothing if the model has saved it, for other messages, and in a chat without memory', async () => {
  const path = 'memory/2026-01-20.md'
  const write = { calls: [{ name: 'write', arguments: { path, append: true, content: '- 10:30 Gate: 4711' } }] }
  expect((await ask('Remember that the gate code is 4711', [write])).log).toBe('# 2026-01-20\n\n- 10:30 Gate: 4711\n')
  expect((await ask('Do you remember the gate code?', [])).log).toBeUndefined()
  expect((await ask('Remember that the gate code is 4711', [], { withoutMemory: true })).log).toBeUndefined()
})
