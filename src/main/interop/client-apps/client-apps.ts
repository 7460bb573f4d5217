import { hash, randomBytes } from 'node:crypto'
import type { ClientLimits, WriteRequest, MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import {
  EventEmitter,
  type Subscribable,
  type Clock,
  KeyedQueue,
  parseStored,
  readOrSetAside,
  writeDurably,
} from '#platform'
import { ClientCalls, ClientWriteRequests } from './client-requests.ts'
import { z } from 'zod'
import { localDate } from '#workspace'
import { memoryClientSchema } from '#shared/contract/clients.ts'
import { secretsIn } from '#shared/util/secrets.ts'

/** Minimum interval between stored times of last use, ms. */
const usedIntervalMs = 60_000
/** Limit of stored programs, so that invented names cannot fill the disk. */
const maxClients = 200
const defaultLimits = { notesPerDay: 200, charactersPerDay: 500_000, callsPerMinute: 240, callsAtOnce: 4 }
const changeable = ['permission', 'agent', 'hasFullAccess', 'limits'] as const
const unused = { date: '', calls: 0, notes: 0, characters: 0 }

interface ClientsOptions {
  readonly file: string
  readonly now: Clock
  readonly onFault: (error: unknown) => void
  readonly timeoutMs?: number | undefined
}

/**
 * Permissions and tokens of the programs that use this memory through MCP. A local program (stdio) states its own name,
 * because it runs with the user's rights; over HTTP a token identifies a program.
 */
export class ClientApps {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #options: ClientsOptions
  readonly #queue = new KeyedQueue()
  readonly writeRequests: ClientWriteRequests
  readonly #calls = new ClientCalls()
  #stored: StoredClients | undefined
  #openWindowCount = 0

  constructor(options: ClientsOptions) {
    this.#options = options
    this.writeRequests = new ClientWriteRequests(() => this.#changes.emit(), options.timeoutMs)
  }

  async list(): Promise<MemoryClient[]> {
    return this.#withClients((clients) => clients.map((client) => this.#toMemoryClient(client)))
  }

  /** Adds an unknown program. @param agent undefined keeps the stored one, or uses `main` for an unknown program */
  async registerLocal(id: string, name: string, agent: string | undefined): Promise<MemoryClient> {
    return this.#withClients(async (clients) => {
      const existing = clients.find((client) => client.id === id)
      const usedAt = this.#options.now().getTime()
      const permission = this.#stored?.isCautious ? 'ask' : 'write'
      const others = withoutClient(clients, id)
      const kept = others.slice(-maxClients + 1)
      const [replaced] = others.slice(0, -kept.length)
      // The shared limits also count the use of a program that is no longer stored.
      const today = replaced ? this.#toMemoryClient(replaced).today : unused
      const stored = existing ?? { ...newClient(id, name, 'main'), permission, today }
      const client = { ...stored, agent: agent ?? stored.agent, usedAt }
      const isOutdated = existing?.agent !== client.agent || usedAt - (existing.usedAt ?? 0) >= usedIntervalMs
      // A full disk must not lock the program out.
      if (isOutdated) await this.#save([...kept, client], true)
      return this.#toMemoryClient(client)
    })
  }

  /** Replaces an earlier token, and stores only the hash. Adds an unknown program. */
  async issueToken(id: string, name: string, agent: string): Promise<string> {
    const token = `cp-${randomBytes(32).toString('base64url')}`
    await this.#withClients(async (clients) => {
      const existing = clients.find((client) => client.id === id) ?? newClient(id, name, agent)
      const tokenHash = hash('sha256', token)
      await this.#save([...withoutClient(clients, id), { ...existing, name, agent, tokenHash }])
    })
    return token
  }

  async findByToken(token: string): Promise<MemoryClient | undefined> {
    const hashed = hash('sha256', token)
    const existing = await this.#withClients((clients) => clients.find(({ tokenHash }) => tokenHash === hashed))
    return existing && this.registerLocal(existing.id, existing.name, undefined)
  }

  /** Changes a program and answers its open permission requests accordingly. @throws AppError `client_unknown` */
  async update(
    id: string,
    change: { readonly [Name in (typeof changeable)[number]]?: MemoryClient[Name] | undefined },
  ): Promise<void> {
    await this.#withClients(async (clients) => {
      const existing = requireClient(clients, id)
      const values = changeable.flatMap((name) => (change[name] === undefined ? [] : [[name, change[name]]]))
      const changed = { ...existing, ...Object.fromEntries(values) }
      await this.#save(clients.map((client) => (client === existing ? changed : client)))
    })
    if (change.permission === 'read') this.writeRequests.answerAll(id, 'no')
    if (change.permission === 'write') this.writeRequests.answerAll(id, 'once')
  }

  async remove(id: string): Promise<void> {
    await this.#withClients((clients) => this.#save(withoutClient(clients, id)))
    this.writeRequests.answerAll(id, 'no')
  }

  /** @returns a function to call at the end of the call @throws as `ClientCalls.enter` */
  async enter(id: string, signal: AbortSignal): Promise<() => void> {
    const { client, shared } = await this.#withClients(() => {
      const client = this.#addUse(id, { calls: 1 })
      return { client, shared: this.#sharedLimits(client) }
    })
    return this.#calls.enter(client, shared?.callsPerMinute, signal)
  }

  /** May ask the user. @throws AppError `client_unknown`, `client_read_only`, `secret_found`, `client_quota` */
  async authorizeWrite(
    request: Omit<WriteRequest, 'id' | 'name'>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly name: string }> {
    const { client: id } = request
    const { name, permission } = await this.#withClients((clients) => {
      const client = this.#toMemoryClient(requireClient(clients, id))
      const { name, permission, limits, today, hasFullAccess } = client
      if (permission === 'read')
        throw new AppError('client_read_only', `${name} may only read this memory; the user can change that`, { name })
      const [secret] = hasFullAccess ? [] : secretsIn(request.text)
      const looksLike = `it looks like a secret (${secret?.kind}); nothing was written`
      if (secret) throw new AppError('secret_found', looksLike, { name })
      const { length } = request.text
      assertQuota(name, name, limits, today, length)
      const shared = this.#sharedLimits(client)
      if (shared) assertQuota(name, 'the programs without a token together', shared, shared.today, length)
      return this.#addUse(id, { notes: 1, characters: length })
    })
    if (permission === 'write') return { name }
    if (this.#openWindowCount === 0) {
      const message = 'no window of Commonplace is open to ask the user for permission; nothing was written'
      throw new AppError('client_unanswered', message, { name })
    }
    const decision = await this.writeRequests.ask({ ...request, name }, signal)
    if (decision === 'no') throw new AppError('client_refused', 'the user has refused to save this', { name })
    if (decision === 'always') await this.update(id, { permission: 'write' })
    return { name }
  }

  /** Permission requests need an open window. @returns a function to call when it closes */
  registerWindow(): () => void {
    this.#openWindowCount += 1
    return () => void (this.#openWindowCount -= 1)
  }

  countWrite(id: string): void {
    const counted = (client: StoredClient) => (client.id === id ? { ...client, writes: client.writes + 1 } : client)
    void this.#withClients((clients) => this.#save(clients.map(counted), true))
  }

  /** True only if the user has declared that the program's model runs on this machine. */
  async hasFullAccess(id: string): Promise<boolean> {
    return this.#withClients((clients) => clients.find((client) => client.id === id)?.hasFullAccess ?? false)
  }

  /** @throws AppError `client_unknown` */
  async nameOf(id: string): Promise<string> {
    return this.#withClients((clients) => requireClient(clients, id).name)
  }

  async close(): Promise<void> {
    if (this.#stored) await this.#withClients((clients) => this.#save(clients, true))
  }

  #toMemoryClient({ tokenHash, ...client }: StoredClient): MemoryClient {
    const date = localDate(this.#options.now())
    const today = client.today.date === date ? client.today : { ...unused, date }
    return { ...client, today, hasToken: tokenHash !== null }
  }

  /**
   * Limits and use of all programs without a token together, because such a program can state another name each time.
   * Each limit is the highest of these programs. Undefined for a program with a token.
   */
  #sharedLimits({ agent, hasToken }: MemoryClient) {
    if (hasToken) return undefined
    const all = (this.#stored?.clients ?? []).map((client) => this.#toMemoryClient(client))
    const sharing = all.filter((client) => !client.hasToken && client.agent === agent)
    const highest = (name: keyof ClientLimits) => Math.max(...sharing.map(({ limits }) => limits[name]))
    return {
      notesPerDay: highest('notesPerDay'),
      charactersPerDay: highest('charactersPerDay'),
      callsPerMinute: highest('callsPerMinute'),
      today: sharing.map(({ today }) => today).reduce(addUses, unused),
    }
  }

  /** Counts in memory only; call it within `#withClients`. @throws AppError `client_unknown` */
  #addUse(id: string, use: Partial<MemoryClient['today']>): MemoryClient {
    const existing = requireClient(this.#stored?.clients ?? [], id)
    const { today } = this.#toMemoryClient(existing)
    const counted = { ...existing, today: addUses(today, use) }
    const clients = (this.#stored?.clients ?? []).map((client) => (client === existing ? counted : client))
    this.#stored = { isCautious: false, ...this.#stored, clients }
    return this.#toMemoryClient(counted)
  }

  /** Loads the programs once, then runs `work`; calls run one after the other. */
  async #withClients<T>(work: (clients: readonly StoredClient[]) => T | Promise<T>): Promise<T> {
    const { file, onFault } = this.#options
    return this.#queue.run(file, async () => {
      if (!this.#stored) {
        this.#stored = await readClients(file, onFault)
        if (this.#stored.isCautious) await writeClients(file, this.#stored)
      }
      return work(this.#stored.clients)
    })
  }

  /** @param ignoresFailure true logs a failed write instead of throwing; the change is then lost at the next start */
  async #save(clients: readonly StoredClient[], ignoresFailure = false): Promise<void> {
    const stored = { isCautious: false, ...this.#stored, clients }
    const saved = writeClients(this.#options.file, stored)
    await (ignoresFailure ? saved.catch(this.#options.onFault) : saved)
    this.#stored = stored
    this.#changes.emit()
  }
}

function newClient(id: string, name: string, agent: string): StoredClient {
  const rights = { permission: 'write', hasFullAccess: false } as const
  const counts = { limits: defaultLimits, today: unused, writes: 0 }
  return { id, name, agent, ...rights, ...counts, tokenHash: null, usedAt: null }
}

function addUses(today: MemoryClient['today'], use: Partial<MemoryClient['today']>): MemoryClient['today'] {
  const { calls = 0, notes = 0, characters = 0 } = use
  const { date } = today
  return { date, calls: today.calls + calls, notes: today.notes + notes, characters: today.characters + characters }
}

/** @param subject of the message @throws AppError `client_quota` */
function assertQuota(
  name: string,
  subject: string,
  { notesPerDay: notes, charactersPerDay: characters }: Omit<ClientLimits, 'callsPerMinute' | 'callsAtOnce'>,
  today: MemoryClient['today'],
  added: number,
): void {
  if (today.notes < notes && today.characters + added <= characters) return
  const message = `${subject} may save ${notes} notes and ${characters} characters a day; nothing was written`
  throw new AppError('client_quota', message, { name, notes, characters })
}

function withoutClient(clients: readonly StoredClient[], id: string): StoredClient[] {
  return clients.filter((client) => client.id !== id)
}

function requireClient(clients: readonly StoredClient[], id: string): StoredClient {
  const client = clients.find((existing) => existing.id === id)
  if (client) return client
  throw new AppError('client_unknown', `the program ${id} is unknown`, { name: id })
}

const storedClientSchema = memoryClientSchema.omit({ hasToken: true }).extend({
  /** SHA-256 in hex; null without a token. */
  tokenHash: z.string().nullable(),
})
type StoredClient = z.infer<typeof storedClientSchema>

const fileSchema = z.object({
  /** True after the file was damaged: new programs then need permission for each write. */
  isCautious: z.boolean(),
  clients: z.array(storedClientSchema).readonly(),
})
type StoredClients = Readonly<z.infer<typeof fileSchema>>

async function readClients(file: string, onFault: ClientsOptions['onFault']): Promise<StoredClients> {
  let isCautious = false
  const parse = (text: string) => parseStored(fileSchema, text)
  const stored = await readOrSetAside(file, parse, (newPath) => {
    isCautious = true
    const effect = 'programs must ask before they write until you change their permission'
    onFault(new Error(`${file} was damaged and renamed to ${newPath}: ${effect}`))
  })
  return stored ?? { clients: [], isCautious }
}

async function writeClients(file: string, stored: StoredClients): Promise<void> {
  await writeDurably(file, `${JSON.stringify(stored, null, 2)}\n`, { newMode: 0o600 })
}
