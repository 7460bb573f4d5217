import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxId } from '../util/limits.ts'
import { base } from './base.ts'
import { indexStatusSchema } from './search.ts'
import { movingSchema } from './links.ts'

/** One stream tells everybody what changed; the interface drops the query results that an event makes stale. */
export const appEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), version: z.string() }),
  z.object({ type: z.literal('filesChanged'), agent: z.string(), paths: z.array(z.string()) }),
  z.object({ type: z.literal('indexStatus'), agent: z.string(), status: indexStatusSchema }),
  z.object({ type: z.literal('historyChanged'), agent: z.string(), paths: z.array(z.string()) }),
  /** Somebody put changes away as looked at. */
  z.object({ type: z.literal('acceptedChanged'), agent: z.string() }),
  /** A note was captured, in whatever window or program. */
  z.object({
    type: z.literal('captured'),
    agent: z.string(),
    path: z.string(),
    startLine: z.number().int(),
    patch: z.string(),
    /** Its first line. */
    note: z.string(),
    /** The other program that had it written. */
    client: z.string().optional(),
  }),
  z.object({ type: z.literal('indexChanged'), agent: z.string() }),
  z.object({
    type: z.literal('sessionChanged'),
    agent: z.string(),
    session: z.string(),
    /** It was put aside or brought back. */
    isWhole: z.boolean().optional(),
  }),
  z.object({ type: z.literal('contextChanged'), agent: z.string(), session: z.string() }),
  z.object({ type: z.literal('checksChanged'), agent: z.string() }),
  z.object({
    type: z.literal('checksProgress'),
    agent: z.string(),
    done: z.number().int(),
    total: z.number().int(),
  }),
  /** There are other proposals, or a look for them began or ended. */
  z.object({ type: z.literal('upkeepChanged'), agent: z.string() }),
  z.object({ type: z.literal('upkeepProgress'), agent: z.string(), done: z.number().int(), total: z.number().int() }),
  z.object({
    type: z.literal('turnEnded'),
    agent: z.string(),
    session: z.string(),
    reason: z.enum(['done', 'aborted', 'error']),
    /** How long it took. */
    ms: z.number(),
  }),
  /** How far a move is that writes many notes anew; null when none is under way. */
  z.object({ type: z.literal('moveProgress'), agent: z.string(), moving: movingSchema.nullable() }),
  /** A part of the app had failed and was started again. */
  z.object({ type: z.literal('recovered'), agent: z.string() }),
  /** Something went wrong that nobody had reckoned with; the app goes on. */
  z.object({ type: z.literal('fault'), reference: z.string(), isRepeated: z.boolean() }),
  /** Something was chosen outside of the page: in the menu, or in a notification. */
  z.object({ type: z.literal('goTo'), place: z.string() }),
  z.object({ type: z.literal('agentsChanged') }),
  z.object({ type: z.literal('settingsChanged') }),
  z.object({ type: z.literal('usageChanged') }),
  /** A part stopped working, or works again. */
  z.object({ type: z.literal('healthChanged') }),
  z.object({ type: z.literal('mcpChanged') }),
  /** Another program came or went, may something else, or waits for the user's word. */
  z.object({ type: z.literal('clientsChanged') }),
])
export type AppEvent = z.infer<typeof appEventSchema>

export const events = {
  /** A window tells the language of the system that it is shown on. */
  subscribe: base.input(z.object({ language: z.string().max(maxId) }).optional()).output(eventIterator(appEventSchema)),
}
