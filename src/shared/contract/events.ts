import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxId } from '../util/limits.ts'
import { base, changeIdSchema } from './base.ts'
import { indexStatusSchema } from './search.ts'
import { movingSchema } from './links.ts'
import { savedMatchSchema } from './suggestions.ts'

/** App-wide event stream. The renderer invalidates the cached queries that an event concerns. */
export const appEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), version: z.string() }),
  z.object({ type: z.literal('filesChanged'), agent: z.string(), paths: z.array(z.string()) }),
  z.object({ type: z.literal('indexStatus'), agent: z.string(), status: indexStatusSchema }),
  z.object({ type: z.literal('historyChanged'), agent: z.string(), paths: z.array(z.string()) }),
  /** A note was captured, in any window or client. */
  z.object({
    type: z.literal('captured'),
    agent: z.string(),
    path: z.string(),
    startLine: z.number().int(),
    /** Id of the change set; null if the history could not store it. */
    change: changeIdSchema.nullable(),
    /** First line of the note. */
    note: z.string(),
    /** Name of the client that captured it, if any. */
    client: z.string().optional(),
  }),
  /** A saved note repeats a line of another, or replaces it as `proposal` suggests. */
  savedMatchSchema.extend({ type: z.literal('noteMatched'), agent: z.string() }),
  z.object({ type: z.literal('indexChanged'), agent: z.string() }),
  z.object({
    type: z.literal('sessionChanged'),
    agent: z.string(),
    session: z.string(),
    /** True if the session was removed or restored. */
    isWhole: z.boolean().optional(),
  }),
  z.object({ type: z.literal('contextChanged'), agent: z.string(), session: z.string() }),
  z.object({ type: z.literal('savedSearchesChanged'), agent: z.string() }),
  /** The list of proposals changed, or a scan started or ended. */
  z.object({ type: z.literal('suggestionsChanged'), agent: z.string() }),
  z.object({
    type: z.literal('turnEnded'),
    agent: z.string(),
    session: z.string(),
    reason: z.enum(['done', 'aborted', 'error']),
    /** Duration of the turn in milliseconds. */
    ms: z.number(),
  }),
  /** Progress of a move that rewrites many notes; null if none is running. */
  z.object({ type: z.literal('moveProgress'), agent: z.string(), moving: movingSchema.nullable() }),
  /** A crashed worker was restarted. */
  z.object({ type: z.literal('recovered'), agent: z.string() }),
  /** An unexpected error was logged under `reference`; the app continues. */
  z.object({ type: z.literal('fault'), reference: z.string(), isRepeated: z.boolean() }),
  /** The user chose a place outside the page: in the menu or in a notification. */
  z.object({ type: z.literal('goTo'), place: z.string() }),
  z.object({ type: z.literal('agentsChanged') }),
  z.object({ type: z.literal('settingsChanged') }),
  z.object({ type: z.literal('usageChanged') }),
  z.object({ type: z.literal('healthChanged') }),
  z.object({ type: z.literal('mcpChanged') }),
  /** A client connected or disconnected, its permissions changed, or it waits for the user's approval. */
  z.object({ type: z.literal('clientsChanged') }),
])
export type AppEvent = z.infer<typeof appEventSchema>

export const events = {
  /** `language`: the system language of the window's display. */
  subscribe: base.input(z.object({ language: z.string().max(maxId) }).optional()).output(eventIterator(appEventSchema)),
}
