import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'
import { openAgent } from '../../support/agent.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const logPath = 'memory/2026-01-20.md'
const long = `We take Rust over C ${'because of the borrow checker '.repeat(20)}end`

async function openChat(flushAnswers: ScriptedAnswer[], isOffline = false) {
  const server = await startModelServer({ text: 'Good.' })
  const flushes: string[] = []
  const chats: string[] = []
  server.respond = (body) => {
    const text = JSON.stringify(body['messages'])
    if (!text.includes('Memory flush.')) {
      chats.push(JSON.stringify(body))
      return { text: 'Good.' }
    }
    flushes.push(JSON.stringify(body))
    return flushAnswers[flushes.length - 1] ?? { text: 'NO_REPLY' }
  }
  const model = isOffline ? 'offline' : 'anthropic/test-model'
  const test = await openAgent(server, { model, defaults: 'memory: { embedding: { provider: none } }' })
  const { agent, send } = test
  /** Sends the texts, ends the chat, and returns the log, the flush entry and the answers. */
  async function chat(...texts: string[]) {
    let session: string | undefined
    for (const text of texts) session = await send(text, session)
    const transcript = await agent.sessions.get(session ?? '')
    await send('/new', session)
    // The flush of the old chat runs in the background.
    await test.app.close()
    await transcript.refresh()
    const flush = transcript.entries.find(
      (entry): entry is Extract<TranscriptEntry, { type: 'flush' }> => entry.type === 'flush',
    )
    const log = await readFile(join(test.workspace, logPath), 'utf8').catch(() => undefined)
    const raw = (await readFile(transcript.file, 'utf8')).split('\n')
    return { session: session ?? '', transcript, flush, log, raw }
  }
  return { ...test, chat, flushes, chats }
}

const write = (content: string): ScriptedAnswer => ({
  calls: [{ name: 'write', arguments: { path: logPath, append: true, content } }],
})

it('cuts a long note of a flush, links it to its message, and records the notes', async () => {
  const { chat } = await openChat([write(`## 10:30 - Language\n- ${long}\n- The gate code is 4711\n`)])
  const { log, flush, raw, session } = await chat('The gate code is 4711', long, 'Thanks')
  const [, cut = '', line = ''] = /^- (.*) … \[sessions\/[^\]]+\.jsonl:(\d+)\]$/m.exec(log ?? '') ?? []
  expect(log).toContain(` … [sessions/${session}.jsonl:${line}]\n- The gate code is 4711\n`)
  expect(long.startsWith(cut)).toBe(true)
  expect(cut.length).toBeGreaterThan(280)
  expect(cut.length).toBeLessThanOrEqual(300)
  // The link names the line of the message in the transcript.
  expect(raw[Number(line) - 1]).toContain(long)
  const idOf = (text: string) =>
    JSON.parse(raw.find((entry) => entry.includes(text) && entry.includes('"user"')) ?? '{}').id
  expect(flush?.status).toBe('wrote')
  expect(flush?.lines).toEqual([
    {
      kind: 'note',
      text: expect.stringMatching(/^We take Rust over C because .{60,100}…$/),
      messages: [idOf(long)],
      note: logPath,
    },
    { kind: 'note', text: 'The gate code is 4711', messages: [idOf('4711')], note: logPath },
  ])
})

it('cuts notes in a text reply, and notes that `edit` appends', async () => {
  const reply = await openChat([{ text: `- ${long}\n- The gate code is 4711` }])
  const { log } = await reply.chat(long, 'The gate code is 4711')
  expect(log).toMatch(
    /^# 2026-01-20\n\n## 10:30\n- We take .{250,290} … \[sessions\/[^\]]+\.jsonl:\d+\]\n- The gate code is 4711\n$/,
  )
  const edit = { path: logPath, oldText: '- 10:30 Tea', newText: `- 10:30 Tea\n- 10:30 ${long}` }
  const edited = await openChat([write('- 10:30 Tea'), { calls: [{ name: 'edit', arguments: edit }] }])
  expect((await edited.chat(long)).log).toMatch(/\n- 10:30 Tea\n- 10:30 We take .{250,290} … \[sessions\/.*\]\n$/)
})

it('takes no notes from statements to the offline model that the user did not keep, and says so in the answer', async () => {
  const { chat, workspace } = await openChat([], true)
  const statements = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm'].map(
    (name) => `Project ${name} is in town. ${`It is about the ${name} and the river. `.repeat(500)}`,
  )
  const { log, transcript, flush, session } = await chat(...statements)
  const answers = transcript.messages().filter(({ message }) => message.role === 'assistant')
  for (const { message } of answers) expect(messageText(message)).toMatch(/\/remember.*its summary keeps.*not as notes/)
  expect(flush?.status).toBe('nothing')
  expect(log).toBeUndefined()
  const folder = join(workspace, 'memory')
  const [summary = ''] = await readdir(folder)
  const lines = (await readFile(join(folder, summary), 'utf8')).split('\n').filter((line) => line.startsWith('- '))
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) expect(line).toMatch(new RegExp(`^- Project .*\\[sessions/${session}\\.jsonl:\\d+\\]$`))
})

it('suggests a note in another language instead of saving it', async () => {
  const { chat, agent } = await openChat([{ text: '- 大门密码已经更改' }])
  expect((await chat('The gate code has changed')).log).toBeUndefined()
  const { open } = await agent.suggestions.list()
  expect(open).toHaveLength(1)
  expect(JSON.stringify(open)).toContain('大门密码已经更改')
})
