/** A line that came from a chat in any way takes that chat along when it becomes private, with those that were given it. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openAgent } from '../../support/agent.ts'
import { textsIn, writeFiles } from '../../support/folder.ts'
import { connectGuest } from '../../support/guest.ts'
import { runImport } from '../../support/import.ts'
import { startModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const log = 'memory/2026-01-20.md'
const remote = 'anthropic/test-model'
const ways = {
  typed: ['stenzel', 'Who is the divorce lawyer?'],
  note: ['brandauer', 'Who is the locksmith?'],
  remember: ['kowalczyk', 'Who repairs the piano?'],
  keep: ['uthmann', 'Who feeds the tortoise?'],
  tool: ['vandermeer', 'Who is the notary?'],
  flush: ['sorokin', 'Who sold the caravan?'],
  summary: ['haverkamp', 'Who treats the eczema?'],
  suggestion: ['delacroix', 'Who rents the garage?'],
  command: ['petrosyan', 'Who tunes the harp?'],
  selection: ['quintero', 'Who restores the mosaic?'],
  capture: ['lindqvist', 'Who breeds the llamas?'],
  import: ['okonkwo', 'Who mends the zeppelin?'],
} as const
const secrets = new RegExp(
  Object.values(ways)
    .flatMap(([word]) => word)
    .join('|'),
  'i',
)
const call = (name: string, input: object) => ({ calls: [{ name, arguments: input }] })
const write = (path: string, content: string) => call('write', { path, content, append: true })

async function openHome() {
  const server = await startModelServer({ text: 'Fine.' })
  const plan: ScriptedAnswer[] = []
  const state = { note: '', summary: '' }
  server.respond = (body) => {
    const text = JSON.stringify(body)
    if (text.includes('You summarise ended conversations'))
      return { text: state.summary === '' ? 'nothing' : `about\n- ${state.summary} [1]` }
    if (!text.includes('The user does not see your replies in this step')) return plan.shift() ?? { text: 'Fine.' }
    const isWritten = state.note === '' || JSON.stringify(body['messages']).includes('lines added')
    return isWritten ? { text: 'NO_REPLY' } : write(log, `- ${state.note}\n`)
  }
  const page = '---\nsource: "web: garages.example, 2026-01-02"\n---\n\nGarages are cheap.\n'
  const defaults = 'visibility: { private: [vault/] }'
  const test = await openAgent(server, { watch: true, files: { 'page.md': page }, model: remote, defaults })
  const { app, agent } = test
  await agent.workspace.known?.accept(['page.md'])
  const { primary: client, guest } = await connectGuest(app, () => new Date())
  const say = (text: string, model = remote, session?: string) => test.send(text, session, { model, isPrivate: false })
  const end = async (session: string) => {
    await agent.chat.send({ text: '/new', session })
    await agent.chat.endings.check()
  }
  return { ...test, server, plan, state, client, guest, say, end }
}

type Home = Awaited<ReturnType<typeof openHome>>

async function writeAll({ agent, client, plan, state, say, end, home, workspace }: Home): Promise<void> {
  await end(await say('The divorce lawyer is Frau Stenzel, and we meet on 9 December.', 'offline'))
  await say('note: the locksmith is Herr Brandauer', 'offline')
  await say('Please remember that Kowalczyk repairs the piano')
  const kept = await say('Uthmann feeds the tortoise every Sunday.', 'offline')
  await client.workspace.remember({ agent: 'main', session: kept, text: 'Uthmann feeds the tortoise every Sunday.' })
  plan.push(write('notes/law.md', '- Notary: Vandermeer, in Leiden\n'))
  await say('The man who notarizes for us in Leiden is this Vandermeer.')
  state.note = 'Caravan: bought from Sorokin'
  await end(await say('Sorokin was the one whose caravan we got.'))
  state.note = ''
  state.summary = 'Haverkamp is the dermatologist for the eczema'
  await end(await say('My eczema gets better since I go to Haverkamp.'))
  state.summary = ''
  plan.push(call('read', { path: 'page.md' }), write('MEMORY.md', '- Garage tenant: Delacroix\n'))
  await say('We let the garage, to a Delacroix. What does page.md say?')
  const { open } = await client.suggestions.list({ agent: 'main' })
  await client.suggestions.accept({ agent: 'main', ids: open.map(({ id }) => id) })
  const command = await say('Hello.')
  await say('/remember Petrosyan tunes the harp in spring', remote, command)
  plan.push({ text: 'For the mosaic in the hall you could ask Quintero, who restores such things in Lisbon.' })
  const answered = await say('Whom can I ask about the hall?')
  await client.workspace.remember({ agent: 'main', session: answered, text: 'ask Quintero, who restores such things' })
  await say('By the way, on the farm Lindqvist breeds the llamas, and also sheep.')
  await client.workspace.remember({ agent: 'main', text: 'Lindqvist breeds the llamas' })
  const message = { author: { role: 'user' }, content: { parts: ['Okonkwo mends the zeppelin in the shed.'] } }
  const exported = { title: 'Shed', create_time: 1, current_node: 'a', mapping: { a: { parent: null, message } } }
  const path = join(home, 'conversations.json')
  await writeFile(path, JSON.stringify([exported]))
  await runImport(agent.importer, { path, into: 'chats', withAttachments: false })
  const all = JSON.stringify(await notes(workspace)).toLowerCase()
  for (const [way, [word]] of Object.entries(ways)) expect(all, way).toContain(word)
  // Each line is given to a chat that repeats it in other words.
  await agent.memory.settle(10_000)
  for (const [word, question] of Object.values(ways)) {
    plan.push(call('memory_search', { query: question, minScore: 0 }), { text: `It is ${word}.` })
    await say(`${question} I forgot.`)
  }
}

/** Returns the texts of the notes with the lines, by their paths in the workspace. */
async function notes(workspace: string): Promise<Record<string, string>> {
  const texts = Object.entries(await textsIn(workspace, (path) => path.endsWith('.md') && !path.includes('/.')))
  const found = texts.filter(([, text]) => secrets.test(text))
  return Object.fromEntries(found.map(([path, text]) => [path.slice(workspace.length + 1), text]))
}

/** Changes the lines in the app, or as another program does. */
async function change({ agent, workspace }: Home, changed: (line: string) => string, isOutside = false): Promise<void> {
  for (const [path, text] of Object.entries(await notes(workspace))) {
    const lines = text.split('\n').map((line) => (secrets.test(line) ? changed(line) : line))
    if (isOutside) await writeFiles(workspace, { [path]: lines.join('\n') })
    else await agent.workspace.write(path, lines.join('\n'), { cause: 'user' })
  }
  if (isOutside) await agent.memory.reindex()
}

const withoutLinks = (line: string) => line.replaceAll(/ \[sessions\/[^\]]*\]/g, '')
const marked = (line: string) => `${line} ^[private]`

async function moveAndEdit(home: Home): Promise<void> {
  const { agent, workspace } = home
  const moved: string[] = []
  await change(home, (line) => (moved.push(withoutLinks(line)) > 0 ? '' : line), true)
  await writeFiles(workspace, { 'memory/moved.md': `# People\n\n${moved.join('\n')}\n` })
  await agent.memory.reindex()
  await agent.history.recordAll()
  await change(home, (line) => line.replace(secrets, '$& (Mr)'))
}

async function hideAll({ client, workspace }: Home): Promise<void> {
  await client.workspace.setFolderVisibility({ agent: 'main', path: 'memory', isPrivate: true })
  for (const path of Object.keys(await notes(workspace)))
    if (!path.startsWith('memory/')) await client.workspace.setVisibility({ agent: 'main', path, isPrivate: true })
}

/** Asks about each line in each way that has no access to private text. @returns what tells a secret, with its way */
async function leaks({ app, agent, server, plan, guest, say, messagesOf }: Home): Promise<string[]> {
  const found: string[] = []
  const check = (place: string, text: string) => {
    const word = secrets.exec(text)?.[0]
    if (word !== undefined) found.push(`${place}: ${word}`)
  }
  server.requests.splice(0)
  for (const [, question] of Object.values(ways)) {
    const args = { query: question, minScore: 0, maxResults: 50 }
    const { content } = await guest.callTool({ name: 'memory_search', arguments: args })
    check('a program', JSON.stringify(content))
    check('the offline model', JSON.stringify(await messagesOf(await say(question, 'offline'))))
    plan.push(call('memory_search', args), { text: 'I see.' })
    await say(question)
    for (const { text } of server.requests.splice(0)) check('a model', text)
  }
  const folder = app.agents.foldersOf('main').sessions
  for (const { id, isPrivate } of await agent.sessions.list(true))
    if (!isPrivate) check('an open chat', await readFile(join(folder, `${id}.jsonl`), 'utf8'))
  return [...new Set(found)]
}

it.each<[string, (home: Home) => Promise<void>, (home: Home) => Promise<void>]>([
  ['in the app', async () => undefined, (home) => change(home, marked)],
  [
    'after an edit, by another program',
    (home) => change(home, (line) => withoutLinks(line).replace(secrets, 'most likely $&')),
    (home) => change(home, marked, true),
  ],
  ['after a move and an edit, by a folder and front matter', moveAndEdit, hideAll],
])(
  'open chats, programs and models get no line of a chat that was marked %s',
  { timeout: 240_000 },
  async (_way, edit, mark) => {
    const home = await openHome()
    const { agent, client } = home
    await writeAll(home)
    await edit(home)
    await agent.memory.settle(10_000)
    expect((await leaks(home)).length).toBeGreaterThan(0)
    await mark(home)
    expect(await leaks(home)).toEqual([])
    const [released = ''] = (await client.chats.madePrivate({ agent: 'main' })).chatsAndNotes
    await client.chats.release({ agent: 'main', session: released })
    await agent.privacy.update()
    expect((await agent.sessions.get(released)).isPrivate).toBe(false)
  },
)

it('an origin follows a line through edits, splits, merges and moves, within a note and between notes', async () => {
  const { agent } = await openAgent(await startModelServer({ text: 'Fine.' }))
  const from = (turn: string) => ({ cause: 'agent', session: 'chat', turn }) as const
  const write = (path: string, text: string, origin: Parameters<typeof agent.workspace.write>[2] = { cause: 'user' }) =>
    agent.workspace.write(path, text, origin)
  const turnsOf = async (path: string, ...lines: string[]) =>
    (await agent.history.originsOf(path, lines)).map(({ changes }) => changes.flatMap(({ turn = [] }) => turn).join())
  const [notary, caravan] = ['- Notary: Vandermeer, in Leiden', '- The caravan is from Sorokin.']
  await write('a.md', `# A\n\n${notary}\n`, from('one'))
  await write('a.md', `# A\n\n${notary}\n${caravan}\n- Other\n`, from('two'))
  expect((await agent.history.blame('a.md')).map(({ turn }) => turn)).toEqual(['one', 'one', 'one', 'two', 'two'])
  await write('a.md', `# A\n\n- Other\n${caravan}\n${notary}\n`)
  expect(await turnsOf('a.md', notary, caravan, '- Other')).toEqual(['one', 'two', 'two'])
  await write('a.md', '# A\n\n- Other\n- The caravan is from Sorokin. Notary: Vandermeer, in Leiden\n')
  await write('b.md', '# B\n\n- The caravan is from Sorokin. Notary: Vandermeer, in Leiden\n- New\n')
  await agent.workspace.remove('a.md', { cause: 'user' })
  await agent.workspace.runTransaction({ move: { from: 'b.md', to: 'c.md' } }, [], { cause: 'user' })
  await write('c.md', `# B\n\n${notary} ^[private]\n- The caravan is from Sorokin (Prague)\n- New\n`)
  expect(await turnsOf('c.md', notary, '- The caravan is from Sorokin (Prague)', '- New')).toEqual([
    expect.stringContaining('one'),
    expect.stringContaining('two'),
    '',
  ])
})

it('keeps a note private that another program moves out of a private folder', async () => {
  const { agent, client, guest, workspace, server, say } = await openHome()
  await agent.workspace.write('vault/people.md', '# People\n\n- The notary is Vandermeer.\n', { cause: 'user' })
  await agent.history.flush()
  await agent.memory.settle(10_000)
  await agent.privacy.update()
  await rename(join(workspace, 'vault/people.md'), join(workspace, 'people.md'))
  await agent.memory.reindex()
  const { content } = await guest.callTool({ name: 'memory_search', arguments: { query: 'notary', minScore: 0 } })
  expect(JSON.stringify(content)).not.toContain('Vandermeer')
  await say('Who is the notary?')
  expect(JSON.stringify(server.requests)).not.toContain('Vandermeer')
  expect(await readFile(join(workspace, 'people.md'), 'utf8')).toMatch(/^---\nvisibility: private\n---\n/)
  expect(await client.chats.madePrivate({ agent: 'main' })).toEqual({ chatsAndNotes: ['people.md'] })
  await client.workspace.setVisibility({ agent: 'main', path: 'people.md', isPrivate: false })
  await agent.privacy.settle()
  expect(await readFile(join(workspace, 'people.md'), 'utf8')).not.toContain('visibility')
})

it('the diff of a note that an open chat writes has no private line around it', async () => {
  const { say, workspace, home, client, server } = await openHome()
  await client.workspace.remember({ agent: 'main', text: 'The fee is 123, code word zebrafink ^[private]' })
  const session = await say('Remember that the piano tuner is Mr Stein', 'offline')
  await say('Remember that the roofer is Ms Lang', 'offline', session)
  await say('Thanks', remote, session)
  expect(server.requests).not.toHaveLength(0)
  expect(Object.values(await textsIn(workspace)).join('\n')).toMatch(/zebrafink[\s\S]*Mr Stein[\s\S]*Ms Lang/)
  const stored = Object.entries(await textsIn(home)).filter(([path]) => path.includes(`${session}.jsonl`))
  expect(stored).toHaveLength(1)
  expect(stored[0]?.[1]).toContain('Mr Stein')
  expect(stored[0]?.[1]).not.toContain('zebrafink')
  expect(JSON.stringify(server.requests)).not.toContain('zebrafink')
})

it('a chat that was given the line becomes private before the index is complete', async () => {
  const { agent, say, workspace } = await openHome()
  await agent.workspace.write('pond.md', '- The pond guard is Zimmermann.\n', { cause: 'user' })
  await agent.memory.settle(10_000)
  const session = await say('Who is the pond guard?')
  vi.spyOn(agent.memory, 'catchUp').mockResolvedValue(false)
  await writeFile(join(workspace, 'pond.md'), '- The pond guard is Zimmermann. ^[private]\n')
  await agent.privacy.settle(undefined, session)
  expect((await agent.sessions.get(session)).isPrivate).toBe(true)
})
