import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { maxAttachments, maxId, maxMessage } from '../util/limits.ts'
import { done, forAgent, forSession, idSchema, sessionIdSchema, rpc } from './base.ts'
import { attachmentSchema, chatMessageSchema } from './chats.ts'

export const queuedMessageSchema = z.object({
  id: z.string(),
  text: z.string(),
  /** `next`: added to the next request of the running turn; `after`: starts a separate turn. */
  delivery: z.enum(['next', 'after']),
})
export type QueuedMessage = z.infer<typeof queuedMessageSchema>

export const permissionRequestSchema = z.object({
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  input: z.string(),
})
export type PermissionRequest = z.infer<typeof permissionRequestSchema>

/** `call` is the id of a tool call; `share` is in [0, 1], null if the total is unknown. */
export const toolProgressSchema = z.object({
  call: z.string(),
  share: z.number().nullable(),
  note: z.string(),
})
export type ToolProgress = z.infer<typeof toolProgressSchema>

const retryingSchema = z.object({
  code: z.string(),
  /** `reason` is the provider's own message. */
  data: errorDataSchema,
  afterMs: z.number(),
  /** Number of the upcoming attempt (2 for the first retry). */
  attempt: z.int(),
  attempts: z.int(),
})

/** Every stream starts with `partial`, so that a window shows the same whether it subscribed early or late. */
export const chatEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('partial'),
    running: z.boolean(),
    text: z.string(),
    thinking: z.string(),
    queue: z.array(queuedMessageSchema),
    permissions: z.array(permissionRequestSchema),
    retrying: retryingSchema.nullable(),
    keeping: z.enum(['flush', 'compaction']).nullable(),
  }),
  chatMessageSchema.extend({ type: z.literal('message') }),
  z.object({ type: z.literal('text'), delta: z.string() }),
  z.object({ type: z.literal('thinking'), delta: z.string() }),
  /** No part of the answer of the failed request was shown. */
  retryingSchema.extend({
    type: z.literal('retrying'),
    message: z.string(),
  }),
  z.object({ type: z.literal('keeping'), what: z.enum(['flush', 'compaction']) }),
  z.object({ type: z.literal('toolProgress'), progress: toolProgressSchema }),
  z.object({ type: z.literal('queue'), queue: z.array(queuedMessageSchema) }),
  z.object({ type: z.literal('permissions'), permissions: z.array(permissionRequestSchema) }),
  /** An entry other than a message was added, or another branch is active: refetch the session. */
  z.object({ type: z.literal('changed') }),
  z.object({ type: z.literal('turnEnd'), reason: z.enum(['done', 'aborted', 'error']) }),
])
export type ChatEvent = z.infer<typeof chatEventSchema>

export const modelSchema = z.object({
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  contextWindow: z.int(),
  /** False if the provider lacks a key or a base URL. */
  available: z.boolean(),
  images: z.boolean(),
  isLocal: z.boolean(),
  /** US dollars per million tokens; null if unknown. */
  prices: z.object({ input: z.number(), output: z.number() }).nullable(),
})
export type Model = z.infer<typeof modelSchema>

const sendSchema = forAgent.extend({
  session: sessionIdSchema.optional(),
  text: z.string().max(maxMessage),
  attachments: z.array(attachmentSchema).max(maxAttachments).readonly().optional(),
  model: z.string().max(maxId).optional(),
  /** Id of a message that this one replaces on a new branch. */
  replaces: idSchema.optional(),
  delivery: z.enum(['next', 'after']).optional(),
  /** Ignored for an existing session, as is `isPrivate`. */
  withoutMemory: z.boolean().optional(),
  /** Default: `chat.default`. */
  isPrivate: z.boolean().optional(),
  /** Sends a message to an open chat even if one of its lines equals a private line. */
  sendAnyway: z.boolean().optional(),
  /** Sends the text to the model, even if it begins like a command. */
  isMessage: z.boolean().optional(),
  /** Continues a session that a reset has ended. */
  reopen: z.boolean().optional(),
})
export type SendInput = Omit<z.infer<typeof sendSchema>, 'agent'>

export const chat = {
  /** Resolves before the answer. Creates a session if none is given. */
  send: rpc(sendSchema, { session: z.string(), queued: z.boolean() }),
  /** Answers a user message again on a new branch. `message` may also be the id of an answer to it. */
  retry: rpc(forSession.extend({ message: idSchema, model: z.string().max(maxId).optional() }), done),
  /** Continues an interrupted answer. With `compact`, after `/compact`. */
  resume: rpc(forSession.extend({ compact: z.boolean().optional() }), done),
  watch: rpc(forSession, eventIterator(chatEventSchema)),
  /** Sends a failed request again without waiting for `afterMs`. */
  retryNow: rpc(forSession, done),
  stop: rpc(forSession, { stopped: z.boolean() }),
  unqueue: rpc(forSession.extend({ id: idSchema }), done),
  sendQueued: rpc(forSession, done),
  /** `never` also denies future calls. */
  permit: rpc(forSession.extend({ id: idSchema, decision: z.enum(['once', 'always', 'deny', 'never']) }), done),
  /** `fresh`: ignores the cache. */
  models: rpc(forAgent.extend({ fresh: z.boolean().optional() }), {
    models: z.array(modelSchema),
    failures: z.array(z.object({ provider: z.string(), code: z.string() })),
  }),
}
