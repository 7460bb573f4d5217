import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { messageSchema } from '../messages.ts'
import { base, forAgent, sessionIdSchema } from './base.ts'

/**
 * What happens in a turn, in order. `partial` opens every stream: what the running turn has said so far, so that a
 * window which joins late (or was reloaded) shows the same as one that was there from the start.
 */
export const chatEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('partial'), running: z.boolean(), text: z.string(), thinking: z.string() }),
  z.object({ type: z.literal('message'), id: z.string(), message: messageSchema }),
  z.object({ type: z.literal('text'), delta: z.string() }),
  z.object({ type: z.literal('thinking'), delta: z.string() }),
  /** The conversation is being kept within its window; there is an answer when that is done. */
  z.object({ type: z.literal('keeping'), what: z.enum(['flush', 'compaction']) }),
  z.object({ type: z.literal('turnEnd'), reason: z.enum(['done', 'aborted', 'error']) }),
])
export type ChatEvent = z.infer<typeof chatEventSchema>

export const modelSchema = z.object({
  /** `provider/model`, as it stands in the configuration. */
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  contextWindow: z.number().int(),
  /** False when the provider has no key (or base URL) yet. */
  available: z.boolean(),
})
export type Model = z.infer<typeof modelSchema>

export const chat = {
  /** Starts a turn; it runs on in the background. Without a session a new one is made. */
  send: base
    .input(
      forAgent.extend({
        session: sessionIdSchema.optional(),
        text: z.string().min(1).max(1_000_000),
        model: z.string().max(200).optional(),
      }),
    )
    .output(z.object({ session: z.string() })),
  watch: base.input(forAgent.extend({ session: sessionIdSchema })).output(eventIterator(chatEventSchema)),
  stop: base.input(forAgent.extend({ session: sessionIdSchema })).output(z.object({ stopped: z.boolean() })),
  models: base.input(forAgent).output(z.array(modelSchema)),
}
