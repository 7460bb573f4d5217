import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Suggestion } from '#shared/contract/index.ts'
import { suggestionSchema } from '#shared/contract/suggestions.ts'
import { KeyedQueue, parseStored, readOrSetAside, writeDurably } from '#platform'

/** Limits of closed proposals. Rejected ones stay longer, so that scans do not add them again. */
const maxDone = 500
const maxRefused = 5000

const storedSuggestionsSchema = z.object({
  version: z.literal(1),
  /** Time of the last scan, ms since the epoch; null before the first. */
  lookedAt: z.number().nullable(),
  /** Oldest first. */
  proposals: z.array(suggestionSchema),
  /** The newest change set of an acceptance or undo that the inbox includes; 0 before the first. */
  lastChange: z.number().default(0),
})

export type StoredSuggestions = z.infer<typeof storedSuggestionsSchema>
/** Changes `state`; `save` writes it before the work ends. */
export type SuggestionsWork<T> = (state: StoredSuggestions, save: () => Promise<void>) => Promise<T>

/** Stores proposals in `inbox.json`. @returns a function that runs `work` after earlier changes and writes a changed state */
export function openInbox(folder: string, onDamaged: (copyPath: string) => void) {
  const file = join(folder, 'inbox.json')
  const queue = new KeyedQueue()
  let stored: StoredSuggestions | undefined
  const parse = (text: string) => parseStored(storedSuggestionsSchema, text)
  const write = async (changed: StoredSuggestions) => {
    const state = { ...changed, proposals: withinLimits(changed.proposals) }
    await writeDurably(file, JSON.stringify(state))
    stored = state
  }
  return <T>(work: SuggestionsWork<T>): Promise<T> =>
    queue.run('inbox', async () => {
      stored ??= await readOrSetAside(file, parse, onDamaged)
      const before = (stored ??= { version: 1, lookedAt: null, proposals: [], lastChange: 0 })
      const state = { ...before }
      const value = await work(state, () => write(state))
      if (!isDeepStrictEqual(state, before)) await write(state)
      return value
    })
}

function withinLimits(suggestions: Suggestion[]): Suggestion[] {
  const newestFirst = suggestions.toSorted((one, other) => other.stateAt - one.stateAt)
  // All proposals of the last acceptance stay, so that it can be undone as a whole.
  const lastAcceptance = newestFirst.find(({ state }) => state === 'accepted')?.acceptance
  const isDone = ({ state, acceptance }: Suggestion) =>
    state === 'withdrawn' || (state === 'accepted' && (acceptance === undefined || acceptance !== lastAcceptance))
  const refused = newestFirst.filter(({ state }) => state === 'refused')
  const dropped = new Set([...refused.slice(maxRefused), ...newestFirst.filter(isDone).slice(maxDone)])
  return suggestions.filter((suggestion) => !dropped.has(suggestion))
}
