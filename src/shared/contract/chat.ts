import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { maxAttachments, maxId, maxMessage } from '../util/limits.ts'
import { base, forAgent, idSchema, sessionIdSchema } from './base.ts'
import { attachmentSchema, sessionMessageSchema } from './sessions.ts'

/** A message that was sent while an answer was being given. */
export const queuedMessageSchema = z.object({
  id: z.string(),
  text: z.string(),
  attachments: z.number().int(),
  /** `next`: with the next request of the running turn; `after`: as a turn of its own. */
  delivery: z.enum(['next', 'after']),
})
export type QueuedMessage = z.infer<typeof queuedMessageSchema>

/** A tool that wants to run and may not without being asked for. */
export const permissionSchema = z.object({
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  /** Its arguments, as JSON. */
  input: z.string(),
})
export type Permission = z.infer<typeof permissionSchema>

/** How far a tool has come that takes a while; `share` is 0 to 1 where it is known. */
export const toolProgressSchema = z.object({
  call: z.string(),
  share: z.number().nullable(),
  note: z.string(),
})
export type ToolProgress = z.infer<typeof toolProgressSchema>

const retryingSchema = z.object({
  code: z.string(),
  /** What the sentence for the code is told with; `reason`: the provider's own words. */
  data: errorDataSchema,
  afterMs: z.number(),
  /** The try that comes, 2 for the first repetition, and how many there are at most. */
  attempt: z.number().int(),
  attempts: z.number().int(),
})

/**
 * What happens in a turn, in order. `partial` opens every stream: what the running turn has said so far, so that a
 * window which joins late (or was reloaded) shows the same as one that was there from the start.
 */
export const chatEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('partial'),
    running: z.boolean(),
    text: z.string(),
    thinking: z.string(),
    queue: z.array(queuedMessageSchema),
    permissions: z.array(permissionSchema),
    retrying: retryingSchema.nullable(),
    keeping: z.enum(['flush', 'compaction']).nullable(),
  }),
  sessionMessageSchema.extend({ type: z.literal('message') }),
  z.object({ type: z.literal('text'), delta: z.string() }),
  z.object({ type: z.literal('thinking'), delta: z.string() }),
  /** The request failed in passing and is made again; nothing of it was shown. */
  retryingSchema.extend({
    type: z.literal('retrying'),
    /** Why, in plain English, with the provider's own words. */
    message: z.string(),
  }),
  /** The conversation is being kept within its window; there is an answer when that is done. */
  z.object({ type: z.literal('keeping'), what: z.enum(['flush', 'compaction']) }),
  z.object({ type: z.literal('toolProgress'), progress: toolProgressSchema }),
  z.object({ type: z.literal('queue'), queue: z.array(queuedMessageSchema) }),
  z.object({ type: z.literal('permissions'), permissions: z.array(permissionSchema) }),
  /** Something other than a message was added, or another branch is shown: look at the conversation anew. */
  z.object({ type: z.literal('changed') }),
  z.object({ type: z.literal('turnEnd'), reason: z.enum(['done', 'aborted', 'error']) }),
])
export type ChatEvent = z.infer<typeof chatEventSchema>

export const modelSchema = z.object({
  /** `provider/model`, as it stands in the configuration. */
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  /** Tokens of one request, answer included. */
  contextWindow: z.number().int(),
  /** False when the provider has no key (or base URL) yet. */
  available: z.boolean(),
  images: z.boolean(),
  /** What it is sent stays on this machine: local notes reach it. */
  isLocal: z.boolean(),
  /** US dollars for a million tokens; null where nobody knows. */
  prices: z.object({ input: z.number(), output: z.number() }).nullable(),
})
export type Model = z.infer<typeof modelSchema>

export const modelListSchema = z.object({
  models: z.array(modelSchema),
  /** Providers whose list could not be had, and why. */
  failures: z.array(z.object({ provider: z.string(), code: z.string() })),
})

const forSession = forAgent.extend({ session: sessionIdSchema })
const done = z.object({})

export const chat = {
  /** Starts a turn; it runs on in the background. Without a session a new one is made. */
  send: base
    .input(
      forAgent.extend({
        session: sessionIdSchema.optional(),
        text: z.string().max(maxMessage),
        attachments: z.array(attachmentSchema).max(maxAttachments).optional(),
        model: z.string().max(maxId).optional(),
        /** An edit: the message whose place the new one takes, on a branch of its own. */
        replaces: idSchema.optional(),
        /** Where the message goes when an answer is being given. */
        delivery: z.enum(['next', 'after']).optional(),
        /** Begins the new conversation without memory; without effect where there is one. */
        withoutMemory: z.boolean().optional(),
        /** Goes on with a conversation that a reset has ended. */
        reopen: z.boolean().optional(),
      }),
    )
    .output(z.object({ session: z.string(), queued: z.boolean() })),
  /** Answers a message of the user again, on a branch of its own. `message` may also name an answer to it. */
  retry: base.input(forSession.extend({ message: idSchema, model: z.string().max(maxId).optional() })).output(done),
  /** Goes on with an answer that broke off. */
  resume: base.input(forSession).output(done),
  watch: base.input(forSession).output(eventIterator(chatEventSchema)),
  /** Makes a request that waits to be repeated at once. */
  retryNow: base.input(forSession).output(done),
  stop: base.input(forSession).output(z.object({ stopped: z.boolean() })),
  /** Takes a message back that was not delivered yet. */
  unqueue: base.input(forSession.extend({ id: idSchema })).output(done),
  /** Sends what waits, now that nothing runs. */
  sendQueued: base.input(forSession).output(done),
  permit: base
    .input(forSession.extend({ id: idSchema, decision: z.enum(['once', 'always', 'deny', 'never']) }))
    .output(done),
  models: base.input(forAgent.extend({ fresh: z.boolean().optional() })).output(modelListSchema),
}
