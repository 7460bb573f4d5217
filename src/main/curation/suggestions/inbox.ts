import { join } from 'node:path'
import { z } from 'zod'
import type { Proposal } from '#shared/contract/index.ts'
import { proposalSchema } from '#shared/contract/upkeep.ts'
import { Mutex, parseStored, readOrSetAside, writeDurably } from '#platform'
import { fileStamp } from '#workspace'

/** Limits of closed proposals. Rejected ones stay longer, so that scans do not add them again. */
const maxDone = 500
const maxRefused = 5000

/** An undo that may have written its files; recovery finishes it after a crash. */
const pendingUndoSchema = z.object({
  acceptance: z.string(),
  stuck: z.array(z.object({ proposal: z.string(), path: z.string(), line: z.number().nullable() })),
  /** Hashes of the undone texts; null for a removed file. */
  files: z.array(z.object({ path: z.string(), hash: z.string().nullable() })),
})

const inboxSchema = z.object({
  version: z.literal(1),
  /** Time of the last scan, ms since the epoch; null before the first. */
  lookedAt: z.number().nullable(),
  proposals: z.array(proposalSchema),
  undoing: pendingUndoSchema.optional(),
})

export interface InboxState {
  readonly lookedAt: number | null
  /** Oldest first. */
  readonly proposals: readonly Proposal[]
  readonly undoing?: z.infer<typeof pendingUndoSchema> | undefined
}

export interface StateChange<T> {
  readonly state: InboxState
  readonly value: T
}

export type InboxWork<T> = (state: InboxState, save: (state: InboxState) => Promise<void>) => Promise<StateChange<T>>

const emptyState: InboxState = { lookedAt: null, proposals: [] }

/** Stores proposals in `inbox.json`, shared by several processes under a lock. */
export class Inbox {
  readonly #file: string
  readonly #mutex: Mutex
  readonly #onDamaged: (copyPath: string) => void
  #cached: { readonly stamp: string; readonly state: InboxState } | undefined

  constructor(folder: string, onDamaged: (copyPath: string) => void) {
    this.#file = join(folder, 'inbox.json')
    this.#mutex = new Mutex(this.#file)
    this.#onDamaged = onDamaged
  }

  async read(): Promise<InboxState> {
    const stamp = await this.#stamp()
    return this.#cached?.stamp === stamp ? this.#cached.state : this.#mutex.run(() => this.#read())
  }

  /**
   * Runs `work` under the lock and writes the new state. If `work` returns the same state, nothing is written.
   * @param work may write an intermediate state with `save`
   * @returns the value of `work`
   */
  async change<T>(work: InboxWork<T>): Promise<T> {
    return this.#mutex.run(async () => {
      const before = await this.#read()
      const { state, value } = await work(before, (next) => this.#write(next))
      if (state !== before) await this.#write(state)
      return value
    })
  }

  close(): void {
    this.#mutex.close()
  }

  async #read(): Promise<InboxState> {
    const stamp = await this.#stamp()
    if (this.#cached?.stamp === stamp) return this.#cached.state
    const parse = (text: string) => parseStored(inboxSchema, text)
    const state = (await readOrSetAside(this.#file, parse, this.#onDamaged)) ?? emptyState
    this.#cached = { stamp: await this.#stamp(), state }
    return state
  }

  async #write({ lookedAt, proposals, undoing }: InboxState): Promise<void> {
    const state = { lookedAt, proposals: withinLimits(proposals), undoing }
    await writeDurably(this.#file, JSON.stringify({ version: 1, ...state }))
    this.#cached = { stamp: await this.#stamp(), state }
  }

  async #stamp(): Promise<string> {
    return (await fileStamp(this.#file)) ?? ''
  }
}

function withinLimits(proposals: readonly Proposal[]): readonly Proposal[] {
  // All proposals of the last acceptance stay, so that it can be undone as a whole.
  const accepted = proposals.filter(({ state }) => state === 'accepted')
  const lastAccepted = accepted.toSorted((one, other) => one.stateAt - other.stateAt).at(-1)
  const isRemovable = ({ acceptance }: Proposal) => acceptance === undefined || acceptance !== lastAccepted?.acceptance
  const excess = (states: readonly Proposal['state'][], limit: number) => {
    const closed = proposals.filter((proposal) => states.includes(proposal.state) && isRemovable(proposal))
    return closed.toSorted((one, other) => one.stateAt - other.stateAt).slice(0, Math.max(0, closed.length - limit))
  }
  const dropped = new Set([...excess(['refused'], maxRefused), ...excess(['accepted', 'withdrawn'], maxDone)])
  return dropped.size === 0 ? proposals : proposals.filter((proposal) => !dropped.has(proposal))
}
