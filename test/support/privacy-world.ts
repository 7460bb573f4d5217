/**
 * Runs random steps on the real app and checks after each one that no private text has left its place. Every line has a
 * token, a word that occurs nowhere else. A token is open while an open line or an open chat contains it.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { createApp, type App } from '../../src/main/app/composition/create-app.ts'
import type { Transcript } from '../../src/main/agent/sessions/transcript.ts'
import { messageText } from '../../src/shared/chat/messages.ts'
import type { ContractClient } from '../../src/shared/contract/index.ts'
import { withVisibility } from '../../src/shared/markdown/visibility-edit.ts'
import { verdictText } from '../../src/shared/util/format-result.ts'
import { AppError } from '../../src/shared/util/errors.ts'
import { mainFolder } from './built.ts'
import { writeFiles } from './folder.ts'
import { connectGuest } from './guest.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from './model-server.ts'
import { isPrivateNote, privateLinesOf } from './privacy-oracle.ts'
import type { Step } from './privacy-steps.ts'

type Agent = Awaited<ReturnType<App['agents']['get']>>
type Tokens = Set<string>

const tokenPattern = /q[a-z]{3}\d{6}/g
const firstMoment = new Date(2026, 0, 20, 10, 30).getTime()
const today = '2026-01-20'
const msPerStep = 7000
/** The rules of the settings always cover this folder, and the other one at times. */
const privateFolder = 'vault'
const otherFolder = 'box'
const remoteModel = 'anthropic/test-model'
const words = ['harbour', 'lighthouse', 'ferry', 'garden', 'recipe', 'violin', 'bicycle', 'kettle']
const marks = ['^[private]', '^[local]']

interface Home {
  readonly folder: string
  readonly app: App
  readonly agent: Agent
  readonly primary: ContractClient
  readonly guest: Client
  readonly connector: Client
  /** Turns on or off that the change log dates lines that have no day. */
  setDays(isOn: boolean): Promise<void>
  close(): Promise<void>
}

interface Chat {
  readonly number: number
  readonly id: string
}

/** The places of the tokens. */
interface State {
  /** Tokens in open lines, and in the paths of open notes. */
  readonly inOpenNotes: Tokens
  /** Tokens in all lines of notes, also private ones. */
  readonly inNotes: Tokens
  /** Tokens in open chats and their titles. */
  readonly inOpenChats: Tokens
  readonly known: Tokens
  readonly privatePaths: ReadonlySet<string>
  readonly privateChats: ReadonlySet<string>
}

const emptyState: State = {
  inOpenNotes: new Set(),
  inNotes: new Set(),
  inOpenChats: new Set(),
  known: new Set(),
  privatePaths: new Set(),
  privateChats: new Set(),
}

type Actor = 'user' | 'open' | 'private' | 'guest'

interface Outcome {
  readonly actor: Actor
  /** Tokens that the user or a guest typed. */
  readonly typed?: Iterable<string>
  /** Answers to a guest. */
  readonly answers?: readonly string[]
  /** True if the index has sent all that it had to send. */
  readonly isSettled?: boolean
}

type Call = { readonly name: string; readonly arguments: object }

export class PrivacyLeak extends Error {}

function tokensIn(text: string): Tokens {
  return new Set(text.match(tokenPattern))
}

function lastTokens(text: string, count: number): string {
  return [...new Set(text.match(tokenPattern)?.toReversed())].slice(0, count).join(' ')
}

class Clock {
  #ms = firstMoment
  readonly now = (): Date => new Date(this.#ms)

  advance(): void {
    this.#ms += msPerStep
  }
}

/** Opens the app with an agent and a guest on a folder, which may hold an earlier state. */
async function openHome(folder: string, now: () => Date): Promise<Home> {
  const app = await createApp({
    mainFolder,
    env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    home: join(folder, 'state'),
    now,
  })
  const agent = await app.agents.get('main')
  const { memory } = agent
  const setSource = memory.setSource.bind(memory)
  let hasDays = true
  memory.setSource = ({ changeLog, ...source }) =>
    setSource(hasDays && changeLog !== undefined ? { ...source, changeLog } : source)
  const setDays = async (isOn: boolean) => {
    hasDays = isOn
    await agent.applyConventions()
    await memory.settle(10_000)
  }
  const { primary, guest, connector } = await connectGuest(app, now)
  const close = async () => {
    await guest.close()
    await connector.close()
    await app.close()
  }
  return { folder, app, agent, primary, guest, connector, setDays, close }
}

export class PrivacyWorld {
  readonly #clock: Clock
  readonly #remote: ModelServer
  readonly #local: ModelServer
  readonly #twin: Home
  #home: Home
  #tokenCount = 0
  #chatCount = 0
  #noteCount = 0
  /** Calls of the model's next answers in the chat that is asked. */
  #plan: ((request: string) => readonly Call[])[] = []
  #failsFlush = false

  // State of the sequence.
  #log: string[] = []
  #chats: Chat[] = []
  /** Ids of all chats of the sequence by the model that only they use. */
  readonly #chatIds = new Map<string, string>()
  /** Chats that were private at their end; a step can remove them before the state is read. */
  readonly #endedPrivate = new Set<string>()
  #state = emptyState
  #fresh: Tokens = new Set()
  /** Tokens in the paths that scripted models chose in this step. */
  #chosenPaths = new Set<string>()
  #letOut: Tokens = new Set()
  /** Tokens that became private while the index may still have been sending them. */
  #inFlight: Tokens = new Set()
  #isOtherFolderPrivate = false
  #lastChange: { readonly path: string; readonly change: number } | undefined

  private constructor(clock: Clock, remote: ModelServer, local: ModelServer, home: Home, twin: Home) {
    this.#clock = clock
    this.#remote = remote
    this.#local = local
    this.#home = home
    this.#twin = twin
    for (const server of [remote, local]) {
      server.respond = (body) => this.#respond(JSON.stringify(body), JSON.stringify(body['messages']))
      server.title = (request) => `Title ${lastTokens(request, 2)}`
    }
  }

  static async open(): Promise<PrivacyWorld> {
    const clock = new Clock()
    const [remote, local, twinRemote] = await Promise.all([startModelServer(), startModelServer(), startModelServer()])
    twinRemote.respond = (body) => remote.respond?.(body) ?? { text: '' }
    const homeFor = async (server: ModelServer) => {
      const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'commonplace-privacy-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
      await writeFiles(folder, {
        'workspace/MEMORY.md': '# Long-term memory\n',
        'state/config.yaml': configFor(join(folder, 'workspace'), server, local),
      })
      return openHome(folder, clock.now)
    }
    const world = new PrivacyWorld(clock, remote, local, await homeFor(remote), await homeFor(twinRemote))
    onTestFinished(async () => {
      await world.#home.close()
      await world.#twin.close()
    })
    return world
  }

  /** Runs steps from an empty memory. @throws PrivacyLeak with the steps as they were run */
  async run(steps: readonly Step[]): Promise<void> {
    try {
      await this.#reset()
      for (const step of steps) await this.#runStep(step)
      await this.#runStep({ kind: 'settle', at: 0, to: 0, flag: false })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      error.message = `${error.message}\nSteps:\n${this.#log.map((line, index) => `${index + 1}. ${line}`).join('\n')}`
      throw error
    }
  }

  async #reset(): Promise<void> {
    const { agent, folder } = this.#home
    this.#plan = []
    this.#failsFlush = false
    await this.#settle()
    if (this.#isOtherFolderPrivate) await this.#setOtherFolder(false)
    for (const { id } of await agent.sessions.list(true)) await agent.sessions.remove(id)
    const { files } = await agent.workspace.list()
    for (const { path } of files) await agent.workspace.remove(path, { cause: 'user' })
    await rm(join(folder, 'workspace', '.trash'), { recursive: true, force: true })
    this.#log = []
    this.#chats = []
    this.#letOut = new Set()
    this.#inFlight = new Set()
    this.#fresh = new Set()
    this.#lastChange = undefined
    await agent.workspace.write('MEMORY.md', `# Long-term memory\n\n- The kettle ${this.#token()} is blue\n`, {
      cause: 'user',
    })
    await agent.workspace.write(
      `memory/2026-01-19.md`,
      `# 2026-01-19\n\n## 10:00 - Garden\n\n- The garden ${this.#token()} is open\n`,
      { cause: 'user' },
    )
    // Its alias is private.
    await agent.workspace.write('note.md', this.#newNote(3, 1, true), { cause: 'user' })
    await agent.workspace.write(`${privateFolder}/gate.md`, this.#newNote(3, 5, true), { cause: 'user' })
    await this.#settle()
    this.#takeRequests()
    this.#state = await this.#readState()
    this.#fresh = new Set()
  }

  async #runStep(step: Step): Promise<void> {
    this.#clock.advance()
    this.#fresh = new Set()
    this.#chosenPaths = new Set()
    const before = this.#state
    const messagesBefore = await this.#messagesOfChats()
    this.#takeRequests()
    this.#log.push(step.kind)
    const outcome = await this.#perform(step)
    if (!outcome) return void this.#log.pop()
    const after = await this.#readState()
    await this.#check(before, after, outcome, messagesBefore)
    this.#state = after
  }

  #say(line: string): void {
    this.#log[this.#log.length - 1] += `: ${line}`
  }

  // ---- Steps

  async #perform({ kind, at, to, flag }: Step): Promise<Outcome | undefined> {
    const { agent } = this.#home
    const user: Outcome = { actor: 'user' }
    const paths = await this.#paths()
    const path = paths[at % paths.length] ?? 'MEMORY.md'
    const chat = this.#chats[at % Math.max(1, this.#chats.length)]
    switch (kind) {
      case 'write': {
        if (paths.length >= 9) return undefined
        const newPath = this.#newPath(at)
        await this.#change(newPath, () => this.#newNote(at, to, flag))
        this.#say(newPath)
        return user
      }
      case 'edit':
        await this.#change(
          path,
          (text) => `${text.trimEnd()}\n\n- The ${words[to % words.length]} ${this.#token()} is near\n`,
        )
        this.#say(path)
        return user
      case 'remove':
        if (path === 'MEMORY.md') return undefined
        this.#lastChange = undefined
        await agent.workspace.remove(path, { cause: 'user' })
        this.#say(path)
        return user
      case 'move': {
        if (path === 'MEMORY.md' || path.startsWith('memory/')) return undefined
        const target = this.#newPath(to)
        await agent.workspace.runTransaction({ move: { from: path, to: target } }, [], { cause: 'user' })
        this.#lastChange = undefined
        this.#say(`${path} → ${target}`)
        return { actor: 'private' }
      }
      case 'undo': {
        const last = this.#lastChange
        this.#lastChange = undefined
        if (!last || !(await agent.workspace.exists(last.path))) return undefined
        await expected(agent.revert({ change: last.change }))
        this.#say(last.path)
        return user
      }
      case 'markNote':
        await this.#change(path, (text) => withVisibility(text, !isPrivateNote(text)))
        this.#say(path)
        return user
      case 'markSection':
      case 'markEntry':
      case 'markOutside': {
        const isSection = kind === 'markSection'
        const isChanged = await this.#change(
          path,
          (text) => toggledMark(text, to, isSection, flag),
          kind === 'markOutside',
        )
        if (isChanged) this.#say(`${path} ${isChanged}`)
        return isChanged === undefined ? undefined : user
      }
      case 'markFolder':
        await this.#setOtherFolder(!this.#isOtherFolderPrivate)
        this.#say(`${otherFolder} ${this.#isOtherFolderPrivate ? 'private' : 'open'}`)
        return user
      case 'settle':
        await this.#settle()
        return { ...user, isSettled: true }
      case 'failFlush':
        this.#failsFlush = flag
        this.#say(String(flag))
        return user
      case 'restart': {
        const { folder } = this.#home
        await this.#home.close()
        this.#home = await openHome(folder, this.#clock.now)
        return user
      }
      case 'open':
      case 'private': {
        if (this.#chats.length >= 4) return undefined
        return this.#ask(undefined, at, to, kind === 'private')
      }
      case 'ask':
        return chat && this.#ask(chat, to, at, flag)
      case 'paste':
      case 'attach': {
        if (!chat) return undefined
        const { text } = await agent.workspace.read(path)
        const lines = text.split('\n').filter((line) => line.search(tokenPattern) >= 0)
        const pasted = kind === 'attach' ? text : (lines[to % Math.max(1, lines.length)] ?? '')
        if (pasted.trim() === '') return undefined
        this.#say(`${path} ${kind === 'paste' ? pasted : ''}`)
        const input =
          kind === 'paste'
            ? { text: pasted }
            : { text: 'Read this.', attachments: [{ type: 'file' as const, name: path, text }] }
        return this.#send(chat, input, { at: to, isUnchecked: flag })
      }
      case 'makePrivate':
        if (!chat) return undefined
        await agent.chat.makePrivate(chat.id)
        this.#say(`chat ${chat.number}`)
        return user
      case 'compact':
        return chat && this.#send(chat, { text: '/compact' }, { at: to })
      case 'remember':
        return (
          chat &&
          this.#send(chat, { text: `/remember The ${words[to % words.length]} ${this.#token()} is old` }, { at: to })
        )
      case 'searchCommand':
        return chat && this.#send(chat, { text: `/search ${this.#query(to, true)}` }, { at: to })
      case 'next':
        return chat && this.#startNext(chat, to)
      case 'guest':
        return this.#askAsGuest(at, to, flag)
      case 'compareGuest':
        await this.#withoutDays(() => this.#compareGuests(at, to))
        return { actor: 'guest', typed: this.#state.known, isSettled: true }
      case 'compareChat':
        return {
          actor: 'open',
          isSettled: true,
          typed: tokensIn(await this.#withoutDays(() => this.#compareChats(at, to))),
        }
    }
  }

  /** @returns the changed line or the path; undefined if nothing changed */
  async #change(path: string, change: (text: string) => string, isOutside = false): Promise<string | undefined> {
    const { agent, folder } = this.#home
    const before = (await agent.workspace.exists(path)) ? (await agent.workspace.read(path)).text : ''
    const after = change(before)
    if (after === before) return undefined
    if (isOutside) await writeFiles(join(folder, 'workspace'), { [path]: after })
    else {
      const { change } = await agent.workspace.write(path, after, { cause: 'user' })
      this.#lastChange = change === undefined ? undefined : { path, change }
    }
    const lines = new Set(before.split('\n'))
    return after.split('\n').find((line) => !lines.has(line)) ?? path
  }

  async #setOtherFolder(isPrivate: boolean): Promise<void> {
    this.#isOtherFolderPrivate = isPrivate
    await this.#home.primary.workspace.setFolderVisibility({ agent: 'main', path: otherFolder, isPrivate })
  }

  async #ask(chat: Chat | undefined, at: number, to: number, isPrivate: boolean): Promise<Outcome> {
    const paths = [...(await this.#paths()), ...this.#chats.map(({ id }) => `sessions/${id}.jsonl`)]
    const path = paths[to % paths.length] ?? ''
    const text = await readFile(join(this.#home.folder, 'workspace', path), 'utf8').catch(() => '')
    const hidden = privateLinesOf(text)
    const isPrivateChat = chat ? this.#state.privateChats.has(chat.id) : isPrivate
    const isWhole = this.#state.privatePaths.has(path)
    const query = this.#query(at, isPrivateChat)
    const line =
      text.split('\n').find((line, index) => line.startsWith('- ') && (isPrivateChat || !(isWhole || hidden[index]))) ??
      'none'
    const search = { name: 'memory_search', arguments: { query, minScore: 0, maxResults: 50 } }
    const plans: readonly ((request: string) => readonly Call[])[] = [
      () => [search],
      () => [search, { name: 'list', arguments: {} }],
      () => [{ name: 'memory_get', arguments: { path } }],
      () => [{ name: 'read', arguments: { path } }, search],
      (request) => [
        {
          name: 'write',
          arguments: {
            path: `memory/${today}.md`,
            content: `- Wrote ${this.#token()} ${lastTokens(request, 2)}\n`,
            append: true,
          },
        },
      ],
      (request) => [
        {
          name: 'write',
          arguments: { path, content: `- Added ${this.#token()} ${lastTokens(request, 1)}\n`, append: true },
        },
      ],
      (request) => [
        {
          name: 'edit',
          arguments: { path, oldText: line, newText: `${line} and ${this.#token()} ${lastTokens(request, 1)}` },
        },
      ],
      () => [{ name: 'write', arguments: { path, content: `# Replaced\n\n- New ${this.#token()}\n` } }],
    ]
    const plan = plans[(at + to) % (plans.length + 2)]
    this.#plan = plan ? [plan] : []
    // Equal texts of two chats would be folded into one result.
    const padding = at % 8 === 0 ? ` kelp${this.#tokenCount}`.repeat(1500) : ''
    const input = { text: `Where is the ${words[to % words.length]} ${this.#token()}?${padding}` }
    const planned = plan ? JSON.stringify(plan('')).slice(0, 120) : 'no tool'
    this.#say(`“${input.text.slice(0, 50)}” with ${planned}`)
    return this.#send(chat, input, { at: to, isPrivate })
  }

  #send(
    chat: Chat | undefined,
    input: { text: string; attachments?: { type: 'file'; name: string; text: string }[] },
    { at, isPrivate = false, isUnchecked = false }: { at: number; isPrivate?: boolean; isUnchecked?: boolean },
  ): Promise<Outcome> {
    return this.#sendTo(this.#home.agent, chat, input, at, isPrivate, isUnchecked)
  }

  async #sendTo(
    agent: Agent,
    chat: Chat | undefined,
    input: { text: string; attachments?: { type: 'file'; name: string; text: string }[] },
    at: number,
    isPrivate: boolean,
    isUnchecked: boolean,
  ): Promise<Outcome> {
    const isPrivateChat = chat ? this.#state.privateChats.has(chat.id) : isPrivate
    const number = chat?.number ?? (this.#chatCount += 1)
    // A remote model is refused in a private chat.
    const models = [
      `openai-compatible/c${number}`,
      isPrivateChat && at % 16 > 0 ? 'offline' : remoteModel,
      undefined,
      'offline',
    ]
    const model = input.text.startsWith('/') ? undefined : models[at % models.length]
    const actor = isPrivateChat ? 'private' : 'open'
    this.#say(`in ${actor} chat ${number} of ${model ?? 'the default model'}`)
    const options = { ...input, model, session: chat?.id, ...(chat ? {} : { isPrivate }) }
    const typed = tokensIn(JSON.stringify(input))
    try {
      const sent = await agent.chat.send(options).catch((error: unknown) => {
        if (!isUnchecked || !(error instanceof AppError) || String(error.code) !== 'message_private') throw error
        return agent.chat.send(Object.assign(options, { sendAnyway: true }))
      })
      await sent.ended
      if (!chat || chat.id !== sent.session) this.#addChat({ number, id: sent.session })
      await this.#untilIdle(agent, sent.session)
      return { actor, typed: isPrivateChat ? [] : typed }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#say(error.code)
      return { actor: 'private' }
    } finally {
      this.#plan = []
    }
  }

  #addChat(chat: Chat): void {
    this.#chats.push(chat)
    this.#chatIds.set(`c${chat.number}`, chat.id)
  }

  /** Waits for the title of a chat. */
  async #untilIdle(agent: Agent, id: string): Promise<void> {
    const transcript = await agent.sessions.get(id)
    const last = transcript.messages().at(-1)?.message
    if (last?.role !== 'assistant' || last.stopReason !== 'stop' || last.provider === 'offline') return
    await soon(() => transcript.name !== undefined)
  }

  /** Starts the chat that follows another one, and waits for the notes and the summary of the old one. */
  async #startNext(chat: Chat, at: number): Promise<Outcome> {
    const { agent } = this.#home
    const transcript = await agent.sessions.get(chat.id)
    const { session } = await agent.chat.send({ text: '/new', session: chat.id })
    this.#say(`after chat ${chat.number}`)
    await agent.chat.endings.check()
    if (transcript.isPrivate) this.#endedPrivate.add(chat.id)
    const next = { number: (this.#chatCount += 1), id: session }
    this.#chats = this.#chats.filter(({ id }) => id !== chat.id && id !== session)
    this.#addChat(next)
    if (at % 4 === 0 && session !== chat.id) await expected(agent.sessions.remove(chat.id))
    return { actor: transcript.isPrivate ? 'private' : 'open' }
  }

  async #askAsGuest(at: number, to: number, flag: boolean): Promise<Outcome> {
    const paths = [...(await this.#paths()), ...this.#chats.map(({ id }) => `sessions/${id}.jsonl`)]
    const path = paths[to % paths.length] ?? ''
    const query = this.#query(to, flag)
    const { guest } = this.#home
    const calls = [
      ['memory_search', { query, minScore: 0, maxResults: 50 }],
      ['memory_get', { path }],
      ['memory_search', { query, minScore: 0, maxResults: 50, why: true }],
      ['memory_recent', { since: today }],
      ['search', { query }],
      ['fetch', { id: `${path}:3` }],
    ] as const
    const call = calls[at % (calls.length + 1)]
    if (!call) {
      this.#say('resources')
      const { resources } = await guest.listResources()
      return { actor: 'guest', answers: [JSON.stringify(resources)] }
    }
    const [name, args] = call
    this.#say(`${name} ${JSON.stringify(args)}`)
    const answer = await callAs(this.#home, name, args)
    // The answer may repeat the question.
    const shown = [query, path].reduce((text, asked) => text.replaceAll(asked, ''), answer)
    return { actor: 'guest', typed: tokensIn(query), answers: [shown] }
  }

  /** @param mayGuess true for words that the asker need not know */
  #query(at: number, mayGuess: boolean): string {
    const known = [...(mayGuess ? this.#state.known : this.#state.inOpenNotes)]
    const guess = at % 3 === 0 ? (known[at % Math.max(1, known.length)] ?? '') : ''
    return `${words[at % words.length]} ${words[(at + 3) % words.length]} ${guess}`.trim()
  }

  // ---- Comparison with a memory that has no private text

  /** Returns the words of a private line in an open note; at times undefined, also without such a line. */
  async #privateWords(at: number): Promise<string | undefined> {
    const texts = (await this.#paths())
      .filter((path) => !this.#state.privatePaths.has(path))
      .map((path) => readFile(join(this.#home.folder, 'workspace', path), 'utf8'))
    const lines = (await Promise.all(texts)).flatMap((text) => {
      const hidden = privateLinesOf(text)
      return text.split('\n').filter((line, index) => hidden[index] && tokensIn(line).size > 0)
    })
    const line = at % 4 === 0 ? undefined : lines[at % Math.max(1, lines.length)]
    return line?.replaceAll(/\^\[[^\]]*\]|\w+:|[^\w\s]/g, ' ').trim()
  }

  /** Compares without days from the change log. The twin has its own change log, so its lines have other days. */
  async #withoutDays<T>(compare: () => Promise<T>): Promise<T> {
    const homes = [this.#home, this.#twin]
    await Promise.all(homes.map((home) => home.setDays(false)))
    try {
      return await this.#confirmed(compare)
    } finally {
      await Promise.all(homes.map((home) => home.setDays(true)))
    }
  }

  /** Repeats a comparison that fails: the index of one world can be late. A leak fails again. */
  async #confirmed<T>(compare: () => Promise<T>): Promise<T> {
    try {
      return await compare()
    } catch (error) {
      if (!(error instanceof PrivacyLeak)) throw error
      return compare()
    }
  }

  async #compareGuests(at: number, to: number): Promise<void> {
    await this.#copyOpenText()
    const paths = await this.#paths()
    const path = paths[to % paths.length] ?? ''
    const query = (await this.#privateWords(at)) ?? this.#query(at, true)
    for (const [name, args] of [
      ['memory_search', { query, minScore: 0, maxResults: 50 }],
      ['explain', { query }],
      ['memory_get', { path }],
    ] as const) {
      const [own = '', other = ''] = await Promise.all(
        [this.#home, this.#twin].map((home) =>
          name === 'explain' ? explained(home, query) : callAs(home, name, args),
        ),
      )
      if (comparable(own) !== comparable(other))
        throw new PrivacyLeak(
          `${name} ${JSON.stringify(args)} differs:\n${comparable(own)}\nwithout private text:\n${comparable(other)}`,
        )
    }
    const [own, other] = await Promise.all(
      [this.#home, this.#twin].map(async ({ guest }) =>
        (await guest.listResources()).resources.map(({ name }) => name).join('\n'),
      ),
    )
    if (own !== other) throw new PrivacyLeak(`the list differs:\n${own}\nwithout private text:\n${other}`)
  }

  /** @returns the query */
  async #compareChats(at: number, to: number): Promise<string> {
    await this.#copyOpenText()
    const query = (await this.#privateWords(at)) ?? this.#query(at, true)
    const paths = await this.#paths()
    const path = paths[to % paths.length] ?? ''
    const calls = [
      { name: 'memory_search', arguments: { query, minScore: 0, maxResults: 50 } },
      { name: 'list', arguments: {} },
      { name: 'memory_get', arguments: { path } },
    ]
    const token = this.#token()
    const results: string[] = []
    for (const { agent } of [this.#home, this.#twin]) {
      this.#plan = [() => calls]
      const { session, ended } = await agent.chat.send({
        text: `Where is ${token}?`,
        model: remoteModel,
        isPrivate: false,
      })
      await ended
      await this.#untilIdle(agent, session)
      const messages = (await agent.sessions.get(session)).messages()
      const texts = messages.flatMap(({ message }) => (message.role === 'toolResult' ? [messageText(message)] : []))
      results.push(comparable(texts.join('\n\n')))
      await agent.sessions.remove(session)
    }
    const [own, other] = results
    if (own !== other)
      throw new PrivacyLeak(`tools answer ${query} ${path} differently:\n${own}\nwithout private text:\n${other}`)
    return `${query} ${path}`
  }

  /** Makes the twin equal, with other words in private lines, and without private notes and chats. */
  async #copyOpenText(): Promise<void> {
    await this.#settle()
    const { folder, app } = this.#home
    const files: Record<string, string> = {}
    for (const path of await this.#paths()) {
      if (this.#state.privatePaths.has(path)) continue
      const text = await readFile(join(folder, 'workspace', path), 'utf8')
      const hidden = privateLinesOf(text)
      files[path] = text
        .split('\n')
        .map((line, index) => (hidden[index] ? withOtherWords(line) : line))
        .join('\n')
    }
    const written: string[] = []
    const twinWorkspace = join(this.#twin.folder, 'workspace')
    for (const path of await markdownIn(twinWorkspace)) {
      if (path in files) continue
      await rm(join(twinWorkspace, path))
      written.push(path)
    }
    for (const [path, text] of Object.entries(files)) {
      await writeFiles(twinWorkspace, { [path]: text })
      const { atime, mtime } = await stat(join(folder, 'workspace', path))
      await utimes(join(twinWorkspace, path), atime, mtime)
      written.push(path)
    }
    const { memory, privacy } = this.#twin.agent
    memory.notifyWritten(written)
    await memory.settle(10_000)
    // The private lines of the twin are others, so its chats must not be compared with them.
    await privacy.update()
    const sessionsFolder = app.agents.foldersOf('main').sessions
    const twinSessions = this.#twin.app.agents.foldersOf('main').sessions
    const open = new Set(
      (await this.#home.agent.sessions.list(true)).filter(({ isPrivate }) => !isPrivate).map(({ id }) => `${id}.jsonl`),
    )
    for (const name of await jsonlIn(twinSessions)) {
      if (open.has(name)) continue
      await rm(join(twinSessions, name))
      written.push(`sessions/${name}`)
    }
    for (const name of open) {
      await copyWithTimes(join(sessionsFolder, name), twinSessions, name)
      written.push(`sessions/${name}`)
    }
    memory.notifyWritten(written)
    await memory.settle(10_000)
    await memory.waitForVectors()
  }

  // ---- Checks

  async #check(
    before: State,
    after: State,
    { actor, typed = [], answers = [], isSettled = false }: Outcome,
    messagesBefore: ReadonlyMap<string, number>,
  ): Promise<void> {
    const allowed = new Set([
      ...before.inOpenNotes,
      ...before.inOpenChats,
      ...this.#letOut,
      ...this.#chosenPaths,
      ...(actor === 'open' ? [...typed, ...this.#fresh] : []),
      ...(actor === 'user' ? after.inOpenNotes : []),
    ])
    const assertOpen = (text: string, place: string, more: Iterable<string> = []) => {
      const also = new Set(more)
      const leaked = [...tokensIn(text)].filter(
        (token) => after.known.has(token) && !allowed.has(token) && !also.has(token),
      )
      if (leaked.length > 0) throw new PrivacyLeak(`${leaked.join(', ')} in ${place}: ${around(text, leaked[0] ?? '')}`)
    }
    const isOfPrivateChat = (model: string) => {
      const id = this.#chatIds.get(model) ?? ''
      return before.privateChats.has(id) || after.privateChats.has(id) || this.#endedPrivate.has(id)
    }
    for (const { text, isEmbedding, model, isRemote } of this.#takeRequests()) {
      if (isEmbedding)
        assertOpen(text, 'a request to the remote embedding server', [
          ...this.#inFlight,
          ...(actor === 'guest' ? typed : []),
        ])
      else if (isRemote) assertOpen(text, 'a request to the remote model')
      else if (!isOfPrivateChat(model)) assertOpen(text, 'a request of an open chat to the local model')
    }
    for (const answer of answers) assertOpen(answer, 'an answer to a guest', typed)
    for (const answer of answers) this.#assertOpenPlaces(answer, before, after)
    for (const summary of await this.#home.agent.sessions.list(true)) {
      if (summary.isPrivate) continue
      assertOpen(summary.title, `the title of an open chat`)
      const messages = (await this.#home.agent.sessions.get(summary.id))
        .messages()
        .slice(messagesBefore.get(summary.id) ?? 0)
      assertOpen(contentOf(messages), 'an open chat')
      for (const { message } of messages)
        if (message.role === 'toolResult') this.#assertOpenPlaces(messageText(message), before, after)
    }
    const published = [...after.inOpenNotes].filter((token) => !before.inOpenNotes.has(token)).join(' ')
    if (actor !== 'user') assertOpen(published, 'an open note')
    if (isSettled) this.#inFlight = new Set()
    for (const token of before.inOpenNotes) {
      if (!after.inOpenNotes.has(token)) this.#inFlight.add(token)
      // An open line that was deleted stays open: chats that have loaded it get it as a removed line.
      if (!after.inNotes.has(token)) this.#letOut.add(token)
    }
    for (const token of after.inOpenChats) this.#letOut.add(token)
    if (actor === 'open') for (const token of typed) this.#letOut.add(token)
  }

  /** Fails if a search result or a list names a private note or chat. */
  #assertOpenPlaces(text: string, before: State, after: State): void {
    const named = [...text.matchAll(/^(\S+?):\d+ ·|^(\S+) \(\d+ bytes\)|"name":"([^"]+)"/gm)].map(
      (match) => match[1] ?? match[2] ?? match[3] ?? '',
    )
    for (const path of named) {
      const id = /^sessions\/(.*)\.jsonl$/.exec(path)?.[1]
      const isPrivate = (state: State) =>
        state.privatePaths.has(path) || (id !== undefined && state.privateChats.has(id))
      if (isPrivate(before) && isPrivate(after)) throw new PrivacyLeak(`${path} is private, but named: ${text}`)
    }
  }

  /** Returns the requests since the last call. */
  #takeRequests() {
    const taken = [this.#remote, this.#local].flatMap((server) => {
      const chats = server.requests.splice(0).map(({ text, path, body }) => ({
        text,
        isEmbedding: path.endsWith('/embeddings'),
        model: String(body['model']),
      }))
      const titles = server.titleRequests
        .splice(0)
        .map((text) => ({ text, isEmbedding: false, model: String((JSON.parse(text) as { model?: string }).model) }))
      return [...chats, ...titles].map((request) => ({ ...request, isRemote: server === this.#remote }))
    })
    return taken
  }

  async #readState(): Promise<State> {
    const { agent, folder } = this.#home
    const state = {
      inOpenNotes: new Set<string>(),
      inNotes: new Set<string>(),
      inOpenChats: new Set<string>(),
      known: new Set([...this.#state.known, ...this.#fresh]),
      privatePaths: new Set<string>(),
      privateChats: new Set<string>(),
    }
    if (this.#log.length === 0) state.known = new Set(this.#fresh)
    for (const path of await this.#paths()) {
      const text = await readFile(join(folder, 'workspace', path), 'utf8')
      const hidden = privateLinesOf(text)
      const isByRule =
        path.startsWith(`${privateFolder}/`) || (this.#isOtherFolderPrivate && path.startsWith(`${otherFolder}/`))
      const isWhole = isByRule || isPrivateNote(text)
      if (isWhole) state.privatePaths.add(path)
      const open = isWhole
        ? ''
        : `${path}\n${text
            .split('\n')
            .filter((_, index) => !hidden[index])
            .join('\n')}`
      for (const token of tokensIn(open)) state.inOpenNotes.add(token)
      for (const token of tokensIn(`${path}\n${text}`)) state.inNotes.add(token)
    }
    for (const { id, isPrivate, title } of await agent.sessions.list(true)) {
      if (isPrivate) {
        state.privateChats.add(id)
        continue
      }
      const messages = (await agent.sessions.get(id)).messages()
      for (const token of tokensIn(title + contentOf(messages))) state.inOpenChats.add(token)
    }
    return state
  }

  async #messagesOfChats(): Promise<ReadonlyMap<string, number>> {
    const { sessions } = this.#home.agent
    const summaries = await sessions.list(true)
    return new Map(
      await Promise.all(summaries.map(async ({ id }) => [id, (await sessions.get(id)).messages().length] as const)),
    )
  }

  async #paths(): Promise<string[]> {
    return markdownIn(join(this.#home.folder, 'workspace'))
  }

  async #settle(): Promise<void> {
    const { memory, privacy } = this.#home.agent
    await memory.settle(10_000)
    // Chats that contain newly marked lines become private, and are indexed again.
    await privacy.update()
    await memory.settle(10_000)
    await memory.waitForVectors()
  }

  // ---- Texts

  #token(): string {
    const number = (this.#tokenCount += 1)
    let hash = Math.imul(number, 2_654_435_761) >>> 8
    let letters = ''
    for (let at = 0; at < 3; at += 1, hash = Math.floor(hash / 26)) letters += String.fromCharCode(97 + (hash % 26))
    const token = `q${letters}${String(number % 1_000_000).padStart(6, '0')}`
    this.#fresh.add(token)
    return token
  }

  #newPath(at: number): string {
    const folders = ['', '', `${otherFolder}/`, `${privateFolder}/`]
    return `${folders[at % folders.length]}note-${(this.#noteCount += 1)}.md`
  }

  #newNote(at: number, to: number, flag: boolean): string {
    const mark = (number: number) => ((at + number * to) % 5 === 0 ? ` ${marks[to % 2]}` : '')
    const word = (number: number) => words[(at + number) % words.length]
    const matter = flag
      ? `---\ntitle: The ${word(1)} ${this.#token()}${mark(1)}\naliases:\n  - ${word(2)} ${this.#token()}${mark(2)}\n${at % 7 === 0 ? 'visibility: private\n' : ''}---\n\n`
      : ''
    return `${matter}# The ${word(3)}

The ${word(0)} ${this.#token()} is beside the ${word(4)}.${mark(3)}

## About the ${word(5)}${mark(4)}

- The ${word(5)} ${this.#token()} is green${mark(5)}
  - Its colour is ${this.#token()}
- The ${word(6)} ${this.#token()} is small

## About the ${word(7)}

- The ${word(7)} ${this.#token()} is heavy${mark(6)}
`
  }

  #respond(request: string, messages: string): ScriptedAnswer {
    if (request.includes('You summarise ended conversations'))
      return { text: `about-${lastTokens(messages, 1)}\n- Kept ${lastTokens(messages, 3)} [1]` }
    if (request.includes('You summarise conversations')) return { text: `Goal: ${lastTokens(messages, 4)}` }
    if (request.includes('The user does not see your replies in this step')) {
      if (this.#failsFlush) return { status: 400, message: 'no' }
      if (/"tool_result"|"role":"tool"/.test(messages.slice(messages.lastIndexOf('"role"') - 2)))
        return { text: 'NO_REPLY' }
      const content = `## 10:30 - Kept\n\n- Kept ${lastTokens(messages, 3)}\n`
      return { calls: [{ name: 'write', arguments: { path: `memory/${today}.md`, content, append: true } }] }
    }
    const calls = this.#plan.shift()?.(messages)
    for (const { arguments: input } of calls ?? [])
      for (const token of tokensIn(String('path' in input ? input.path : ''))) this.#chosenPaths.add(token)
    return calls ? { calls } : { text: `Noted ${this.#token()} and ${lastTokens(messages, 2)}.` }
  }
}

function configFor(workspace: string, remote: ModelServer, local: ModelServer): string {
  return `providers:
  anthropic: { baseUrl: "${remote.url}", reach: remote }
  openai-compatible: { baseUrl: "${local.openAiUrl}" }
models:
  ${remoteModel}: { contextWindow: 12000, maxOutput: 1000 }
agents:
  defaults:
    session: { reset: { mode: off } }
    visibility: { local: [${privateFolder}/] }
    memory:
      search: { maxCharacters: 20000 }
      embedding: { provider: openai-compatible, model: test, baseUrl: "${remote.openAiUrl}", reach: remote }
  list: [{ id: main, workspace: "${workspace}", model: ${remoteModel} }]
`
}

async function callAs(home: Home, name: string, args: Record<string, unknown>): Promise<string> {
  const program = name === 'search' || name === 'fetch' ? home.connector : home.guest
  const { content, structuredContent = '' } = await program.callTool({ name, arguments: args })
  return [...(content as { text?: string }[]).map(({ text }) => text), JSON.stringify(structuredContent)].join('\n')
}

/** Returns all candidates of a search of the program. */
async function explained({ primary }: Home, query: string): Promise<string> {
  const { candidates } = await primary.search.explain({ agent: 'main', query, forProgram: 'guest' })
  const shown = candidates.map(({ path, startLine, endLine, score, text, vector, verdict, matched }) => ({
    path,
    lines: [startLine, endLine],
    score: score.toFixed(3),
    verdict: verdictText(verdict),
    bm25: Number((text?.raw ?? 0).toFixed(2)),
    cosine: Number((vector?.raw ?? 0).toFixed(2)),
    matched,
  }))
  return JSON.stringify(shown)
}

/** Returns what models read of messages: the details of a tool's result are for the owner only. */
function contentOf(messages: ReturnType<Transcript['messages']>): string {
  return messages.map(({ message }) => JSON.stringify(message.content)).join('\n')
}

/**
 * Returns an answer without the placeholders of private lines, the sizes that count them, and the order of results with
 * equal scores.
 */
function comparable(answer: string): string {
  return (
    answer
      .replaceAll('[stays on this machine]', '')
      .replaceAll(/\(\d+ bytes\)/g, '')
      .replaceAll(/ is now \S+/g, ' does not exist')
      .replaceAll(/returned as #\d+/g, 'returned')
      .split(/\n|(?<=\}),(?=\{"path")/)
      // The long texts and the answers of the scripted model are near-duplicates: search returns the one that was
      // indexed first. Results without a score fill the list in the same order.
      .filter((line) => !/kelp|"bm25":0,"cosine":0|Assistant: Noted/.test(line))
      .sort()
      .join('\n')
  )
}

/** Replaces the words of a private line. Without the line, the index would divide the other lines differently. */
function withOtherWords(line: string): string {
  const [start = ''] = /^\s*(?:(?:[-*]|#+|[a-z]+:) )?/.exec(line) ?? []
  const parts = line.slice(start.length).split(/(\^\[[^\]]*\])/)
  const others = parts.map((part) => (part.startsWith('^[') ? part : part.replaceAll(/[A-Za-z]\w*/g, 'other')))
  return start + others.join('')
}

/** Adds or removes a mark at a heading or at an entry. */
function toggledMark(text: string, at: number, isSection: boolean, isOldWord: boolean): string {
  const lines = text.split('\n')
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  const places = lines.flatMap((line, index) => {
    const isHeading = line.startsWith('#')
    const isEntry = !isHeading && line.search(tokenPattern) >= 0
    return index > end && (isSection ? isHeading : isEntry) ? [index] : []
  })
  const place = places[at % Math.max(1, places.length)]
  const line = place === undefined ? undefined : lines[place]
  if (place === undefined || line === undefined) return text
  const unmarked = line.replace(/ \^\[(?:private|local)\]/g, '')
  lines[place] = unmarked === line ? `${line} ${marks[Number(isOldWord)]}` : unmarked
  return lines.join('\n')
}

/** Returns the part of a long text around a token. */
function around(text: string, token: string): string {
  const at = text.indexOf(token)
  return text.slice(Math.max(0, at - 500), at + 500)
}

async function markdownIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return paths.filter((path) => !/(?:^|\/)\./.test(path)).sort()
}

async function jsonlIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'))
}

async function copyWithTimes(source: string, folder: string, name: string): Promise<void> {
  const { atime, mtime } = await stat(source)
  await writeFiles(folder, { [name]: await readFile(source, 'utf8') })
  await utimes(join(folder, name), atime, mtime)
}

/** Waits for work in the background; gives up after `limitMs`. */
async function soon(isDone: () => boolean, limitMs = 2000): Promise<void> {
  const end = performance.now() + limitMs
  while (!isDone() && performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
}

/** Ignores the errors that the app expects. */
async function expected(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
  })
}
