import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { redactionPlaceholder } from '../../../src/shared/markdown/visibility.ts'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { sessionEvents } from '../../../src/main/agent/sessions/session-events.ts'
import { localDate } from '../../../src/main/workspace/index.ts'
import { openAgent } from '../../support/agent.ts'
import { until, writeFiles } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'

const pin = '- The safe opens with 9-1-7.'

/** An agent with an open and a private note, and a remote model that searches for the question. */
async function openChats() {
  const remote = await startModelServer({ text: 'Aye.' })
  const test = await openAgent(remote, {
    files: {
      'MEMORY.md': '# Long-term memory\n\n- The safe is grey.\n',
      'USER.md': '# User\n\n- I sleep at the harbour ^[private]\n',
      'private/safe.md': `---\nvisibility: private\n---\n\n# The safe\n\n${pin}\n- Alpha\n`,
    },
    config: `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
agents:
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`,
    now: () => new Date(),
  })
  const { agent } = test
  await agent.memory.settle(10_000)
  await agent.privacy.update()
  const say = async (text: string, options: Partial<Parameters<typeof agent.chat.send>[0]> = {}) => {
    const session = await test.send(text, options.session, options)
    const transcript = await agent.sessions.get(session)
    const last = transcript.messages().at(-1)
    return { session, transcript, text: last ? messageText(last.message) : '' }
  }
  /** Writes notes as another program does. */
  const writeOutside = async (files: Record<string, string>) => {
    await writeFiles(test.workspace, files)
    await agent.memory.reindex()
    await agent.privacy.update()
  }
  return { ...test, remote, say, writeOutside }
}

describe('a message to an open chat', () => {
  it('is not sent if a line equals a private line', async () => {
    const { agent, remote, say } = await openChats()
    const text = `What is this?\n\n  The  safe opens with **9-1-7**!`
    await expect(say(text)).rejects.toMatchObject({
      code: 'message_private',
      data: { count: 1, lines: 'The  safe opens with **9-1-7**!' },
    })
    const attachments = [{ type: 'file' as const, name: 'safe.md', text: pin }]
    await expect(say('And this?', { attachments })).rejects.toMatchObject({ code: 'message_private' })
    const marked = [{ type: 'file' as const, name: 'plan.md', text: '# Plan\n\n- Leave at dawn ^[private]\n' }]
    await expect(say('And this?', { attachments: marked })).rejects.toMatchObject({ code: 'message_private' })
    for (const command of ['compact', 'remember', 'new'])
      await expect(say(`/${command} ${pin}`)).rejects.toMatchObject({ code: 'message_private' })
    await expect(say('I sleep at the harbour')).rejects.toMatchObject({ code: 'message_private' })
    expect(await agent.sessions.list(true)).toEqual([])
    expect(remote.requests).toEqual([])
  })

  it('is sent if the user says so, in a private chat, and with words that many texts have', async () => {
    const { remote, say } = await openChats()
    await say(pin, { sendAnyway: true })
    expect(remote.requests.some(({ text }) => text.includes('9-1-7'))).toBe(true)
    const { text } = await say(pin, { isPrivate: true })
    expect(text).not.toBe('')
    await say('Alpha')
  })
})

describe('an open chat', () => {
  it('is exported without the private lines next to a change', async () => {
    const { agent, remote, workspace, say } = await openChats()
    const path = 'memory/safe.md'
    await writeFiles(workspace, { [path]: `# The safe\n\n${pin.replace('.', '')} ^[private]\n- It is grey.\n` })
    const edit = { path, oldText: '- It is grey.', newText: '- It is green.' }
    remote.script = [{ calls: [{ name: 'edit', arguments: edit }] }, { text: 'Aye.' }]
    const { session } = await say('Paint the safe green.')
    expect(await readFile(join(workspace, path), 'utf8')).toContain('9-1-7 ^[private]\n- It is green.')
    const { text } = await agent.sessions.export(session, 'jsonl')
    expect(text).toContain('\\n …\\n-- It is grey.\\n+- It is green.')
    expect(text).not.toContain('9-1-7')
    await agent.chat.makePrivate(session)
    const ofPrivate = await agent.sessions.export(session, 'jsonl')
    expect(ofPrivate.text).toContain(`\\n ${redactionPlaceholder}\\n-- It is grey.`)
  })

  it('tells the user how many private notes match, and the model nothing', async () => {
    const { agent, remote, say } = await openChats()
    const { session } = await say('Which number opens the safe?')
    const eventsOf = async (id: string) =>
      sessionEvents((await agent.sessions.get(id)).branch()).map(({ event }) => event)
    await until(async () => (await eventsOf(session)).length > 0, 10_000)
    expect(await eventsOf(session)).toEqual([{ type: 'privateMatches', count: 1 }])
    await say('And the colour?', { session })
    expect(remote.requests.map(({ text }) => text).join('\n')).not.toMatch(/9-1-7|private note|privateMatches/)
    const inPrivate = await say('Which number opens the safe?', { isPrivate: true })
    await agent.chat.close()
    expect(await eventsOf(inPrivate.session)).toEqual([])
  })

  it('becomes private when a note that it recalled or repeats is marked', async () => {
    const { agent, say } = await openChats()
    const quoting = await say('The safe is grey.')
    const other = await say('The weather is fine today.')
    await agent.privacy.update()
    expect(quoting.transcript.isPrivate).toBe(false)
    const marked = '# Long-term memory\n\n- The safe is grey. ^[private]\n'
    await agent.workspace.write('MEMORY.md', marked, { cause: 'user' })
    await agent.memory.settle(10_000)
    await agent.privacy.update()
    expect((await agent.sessions.get(quoting.session)).isPrivate).toBe(true)
    expect((await agent.sessions.get(other.session)).isPrivate).toBe(false)
    expect(await agent.privacy.madePrivate()).toEqual([quoting.session])
    await agent.privacy.forgetMadePrivate()
    expect(await agent.privacy.madePrivate()).toEqual([])
  })

  it('becomes private with the line that answers it in other words, also as a fork', async () => {
    const { agent, remote, say, writeOutside } = await openChats()
    const path = 'memory/people.md'
    remote.script = [
      { calls: [{ name: 'write', arguments: { path, content: 'Jane Roe handles the divorce.\n' } }] },
      { text: 'Aye.' },
    ]
    const { session, transcript } = await say('She is called Roe, first name Jane, about the split.')
    const request = transcript.branch().find(({ type }) => type === 'message')
    const fork = await agent.sessions.fork(session, request?.id ?? '', new Date())
    const other = await say('The weather is fine today.')
    await agent.memory.settle(10_000)
    await agent.privacy.update()
    await writeOutside({ [path]: 'Jane Roe handles the divorce. ^[private]\n' })
    expect((await agent.sessions.get(session)).isPrivate).toBe(true)
    expect((await agent.sessions.get(fork)).isPrivate).toBe(true)
    expect((await agent.sessions.get(other.session)).isPrivate).toBe(false)
  })

  it.each(['note: the divorce lawyer is Jane Roe', '请记住：the divorce lawyer is Jane Roe'])(
    'becomes private when the line is marked that it saved for “%s”',
    async (request) => {
      const { agent, workspace, say, writeOutside } = await openChats()
      const { session } = await say(request)
      const other = await say('The weather is fine today.')
      const log = `memory/${localDate(new Date())}.md`
      const text = await readFile(join(workspace, log), 'utf8')
      await agent.memory.settle(10_000)
      await agent.privacy.update()
      await writeOutside({ [log]: text.replace(/Jane Roe.?$/m, '$& ^[private]') })
      expect((await agent.sessions.get(session)).isPrivate).toBe(true)
      expect((await agent.sessions.get(other.session)).isPrivate).toBe(false)
      await expect(say(request)).rejects.toMatchObject({ code: 'message_private', data: { lines: request } })
    },
  )

  it('becomes private when a line without its time and origin is marked that it asked to remember', async () => {
    const { agent, say, writeOutside } = await openChats()
    const asked = await say('Good morning.\n记住 离婚律师是王芳', { withoutMemory: true })
    const tomorrow = await say('Remember that I meet Jane tomorrow', { withoutMemory: true })
    const day = localDate(new Date(Date.now() + 86_400_000))
    await writeOutside({ 'moved.md': `- 离婚律师是王芳。 ^[private]\n- I meet Jane tomorrow (${day}) ^[private]\n` })
    expect((await agent.sessions.get(asked.session)).isPrivate).toBe(true)
    expect((await agent.sessions.get(tomorrow.session)).isPrivate).toBe(true)
  })

  it('becomes private with its copy when a line that links to its message is marked', async () => {
    const { agent, say, writeOutside } = await openChats()
    const { session, transcript } = await say('Her lawyer is Jane.')
    const first = transcript.messages()[0]?.id ?? ''
    const copy = await agent.sessions.fork(session, first, new Date())
    const other = await say('The weather is fine today.')
    const line = (await transcript.linesOf([first])).get(first)
    await writeOutside({ 'kept.md': `- Ann has a lawyer [sessions/${session}.jsonl:${line}] ^[private]\n` })
    expect((await agent.sessions.get(session)).isPrivate).toBe(true)
    expect((await agent.sessions.get(copy)).isPrivate).toBe(true)
    expect((await agent.sessions.get(other.session)).isPrivate).toBe(false)
  })

  it('becomes private even if the app closes at once, without an error in the log', async () => {
    const { agent, app, home, say } = await openChats()
    const { session } = await say('The safe is grey.')
    const codes = Array.from({ length: 5000 }, (_, index) => `- The code of door ${index} is new.\n`).join('')
    await agent.workspace.write('private/doors.md', codes, { cause: 'user' })
    const marked = '# Long-term memory\n\n- The safe is grey. ^[private]\n'
    await agent.workspace.write('MEMORY.md', marked, { cause: 'user' })
    await agent.memory.settle(30_000)
    const comparison = agent.privacy.update()
    await app.close()
    await comparison
    await agent.privacy.update()
    expect(await agent.privacy.madePrivate()).toEqual([session])
    expect(await readFile(join(home, 'logs/commonplace.log'), 'utf8')).toBe('')
  })

  it('becomes private when a note is marked that it read in part', async () => {
    const { agent, remote, say, workspace } = await openChats()
    await writeFiles(workspace, { 'list.md': '- One\n- Two\n' })
    remote.script = [{ calls: [{ name: 'memory_get', arguments: { path: 'list.md:1-2' } }] }, { text: 'Read.' }]
    const { session } = await say('Look at the list.')
    await agent.privacy.update()
    await agent.workspace.write('list.md', '---\nvisibility: private\n---\n\n- Three\n', { cause: 'user' })
    await agent.memory.settle(10_000)
    await agent.privacy.update()
    expect((await agent.sessions.get(session)).isPrivate).toBe(true)
  })
})

describe('a chat that was made private', () => {
  it('offers the lines that it wrote before, and marks them', async () => {
    const { agent, workspace, say } = await openChats()
    const { session } = await say('Hello.')
    await say('/remember the puffin knits a scarf', { session })
    await agent.chat.makePrivate(session)
    const lines = await agent.privacy.openLinesOf(session)
    expect(lines.map(({ text }) => text.replace(/^- \d\d:\d\d /, ''))).toContain('the puffin knits a scarf')
    await agent.privacy.markLines(lines)
    expect(await agent.privacy.openLinesOf(session)).toEqual([])
    const log = await readFile(join(workspace, lines[0]?.path ?? ''), 'utf8')
    expect(agent.marks().openText(lines[0]?.path ?? '', log) ?? '').not.toContain('puffin')
  })

  it('shows what a release lets out, and becomes open', async () => {
    const { agent, say } = await openChats()
    const { session } = await say(pin, { isPrivate: true })
    expect(await agent.privacy.previewRelease(session)).toMatchObject({
      messages: 2,
      lines: ['- The safe opens with 9-1-7.'],
    })
    await (await agent.chat.idleTranscript(session)).setPrivate(false)
    expect((await agent.sessions.get(session)).isPrivate).toBe(false)
    await agent.privacy.update()
    expect((await agent.sessions.get(session)).isPrivate).toBe(false)
  })
})
