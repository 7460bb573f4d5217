import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxId } from '../util/limits.ts'
import { changeIdSchema, rpc } from './base.ts'
import { indexStatusSchema } from './search.ts'
import { movingSchema } from './links.ts'
import { savedMatchSchema } from './suggestions.ts'

export const appEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), version: z.string() }),
  z.object({ type: z.literal('filesChanged'), agent: z.string(), paths: z.array(z.string()) }),
  z.object({ type: z.literal('indexStatus'), agent: z.string(), status: indexStatusSchema }),
  z.object({ type: z.literal('historyChanged'), agent: z.string(), paths: z.array(z.string()) }),
  z.object({
    type: z.literal('captured'),
    agent: z.string(),
    path: z.string(),
    /** Null if the history could not store it. */
    change: changeIdSchema.nullable(),
    note: z.string(),
    client: z.string().optional(),
  }),
  /** A saved note repeats a line of another, or replaces it as `proposal` suggests. */
  savedMatchSchema.extend({ type: z.literal('noteMatched'), agent: z.string() }),
  z.object({ type: z.literal('indexChanged'), agent: z.string() }),
  z.object({
    type: z.literal('sessionChanged'),
    agent: z.string(),
    session: z.string(),
    isWhole: z.boolean().optional(),
  }),
  z.object({ type: z.literal('contextChanged'), agent: z.string(), session: z.string() }),
  z.object({ type: z.literal('savedSearchesChanged'), agent: z.string() }),
  z.object({ type: z.literal('suggestionsChanged'), agent: z.string() }),
  z.object({
    type: z.literal('turnEnded'),
    agent: z.string(),
    session: z.string(),
    reason: z.enum(['done', 'aborted', 'error']),
    ms: z.number(),
  }),
  /** Null if no move is running. */
  z.object({ type: z.literal('moveProgress'), agent: z.string(), moving: movingSchema.nullable() }),
  z.object({ type: z.literal('recovered'), agent: z.string() }),
  z.object({ type: z.literal('fault'), reference: z.string(), isRepeated: z.boolean() }),
  z.object({ type: z.literal('goTo'), place: z.string() }),
  z.object({ type: z.literal('agentsChanged') }),
  z.object({ type: z.literal('settingsChanged') }),
  z.object({ type: z.literal('usageChanged') }),
  z.object({ type: z.literal('healthChanged') }),
  z.object({ type: z.literal('mcpChanged') }),
  z.object({ type: z.literal('clientsChanged') }),
])
export type AppEvent = z.infer<typeof appEventSchema>

export const events = {
  /** Only windows send their `language`. */
  subscribe: rpc(z.object({ language: z.string().max(maxId) }).optional(), eventIterator(appEventSchema)),
}
