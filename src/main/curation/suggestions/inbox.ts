import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Proposal } from '#shared/contract/index.ts'
import { proposalSchema } from '#shared/contract/upkeep.ts'
import { KeyedQueue, parseStored, readOrSetAside, writeDurably } from '#platform'

/** Limits of closed proposals. Rejected ones stay longer, so that scans do not add them again. */
const maxDone = 500
const maxRefused = 5000

const inboxSchema = z.object({
  version: z.literal(1),
  /** Time of the last scan, ms since the epoch; null before the first. */
  lookedAt: z.number().nullable(),
  /** Oldest first. */
  proposals: z.array(proposalSchema),
  /** The newest change set of an acceptance or undo that the inbox includes; 0 before the first. */
  lastChange: z.number().default(0),
})

export type InboxState = z.infer<typeof inboxSchema>
/** Changes `state`; `save` writes it before the work ends. */
export type InboxWork<T> = (state: InboxState, save: () => Promise<void>) => Promise<T>

/** Stores proposals in `inbox.json`. Changes run one after the other. */
export class Inbox {
  readonly #file: string
  readonly #queue = new KeyedQueue()
  readonly #onDamaged: (copyPath: string) => void
  #state: InboxState | undefined

  constructor(folder: string, onDamaged: (copyPath: string) => void) {
    this.#file = join(folder, 'inbox.json')
    this.#onDamaged = onDamaged
  }

  /** Runs `work` after earlier changes and writes the state if it has changed. @returns the value of `work` */
  async change<T>(work: InboxWork<T>): Promise<T> {
    return this.#queue.run('inbox', async () => {
      const before = await this.#read()
      const state = { ...before }
      const value = await work(state, () => this.#write(state))
      if (!isDeepStrictEqual(state, before)) await this.#write(state)
      return value
    })
  }

  async #read(): Promise<InboxState> {
    const parse = (text: string) => parseStored(inboxSchema, text)
    this.#state ??= await readOrSetAside(this.#file, parse, this.#onDamaged)
    return (this.#state ??= { version: 1, lookedAt: null, proposals: [], lastChange: 0 })
  }

  async #write(changed: InboxState): Promise<void> {
    const state = { ...changed, proposals: withinLimits(changed.proposals) }
    await writeDurably(this.#file, JSON.stringify(state))
    this.#state = state
  }
}

function withinLimits(proposals: Proposal[]): Proposal[] {
  const newestFirst = proposals.toSorted((one, other) => other.stateAt - one.stateAt)
  // All proposals of the last acceptance stay, so that it can be undone as a whole.
  const lastAcceptance = newestFirst.find(({ state }) => state === 'accepted')?.acceptance
  const isDone = ({ state, acceptance }: Proposal) =>
    state === 'withdrawn' || (state === 'accepted' && (acceptance === undefined || acceptance !== lastAcceptance))
  const refused = newestFirst.filter(({ state }) => state === 'refused')
  const dropped = new Set([...refused.slice(maxRefused), ...newestFirst.filter(isDone).slice(maxDone)])
  return proposals.filter((proposal) => !dropped.has(proposal))
}
