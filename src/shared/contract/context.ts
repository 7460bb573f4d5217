import { z } from 'zod'
import { layers } from '../chat/context-items.ts'
import { usageSchema } from '../chat/message-schemas.ts'
import { maxPath } from '../util/limits.ts'
import { forAgent, forSession, idSchema, sessionIdSchema, rpc } from './base.ts'
import { sessionEventSchema } from './chats.ts'

export const layerSchema = z.enum(layers)
export type Layer = z.infer<typeof layerSchema>

export const contextItemSchema = z.object({
  layer: layerSchema,
  name: z.string(),
  tokens: z.int(),
  /** Before the text was shortened. */
  rawCharacters: z.int(),
  sentCharacters: z.int(),
  note: z.enum(['missing', 'cut', 'today', 'yesterday', 'summary']).optional(),
  about: z.string().optional(),
})
export type ContextItem = z.infer<typeof contextItemSchema>

/** `prune` clears old tool results, `flush` lets the model write notes, `compact` replaces messages by a summary. */
export const compactionStepSchema = z.enum(['prune', 'flush', 'compact'])
export type CompactionStep = z.infer<typeof compactionStepSchema>

/** A context window, in tokens, that proved smaller than the model list stated (`believed`). */
export const contextWindowEstimateSchema = z.object({
  window: z.int(),
  believed: z.int(),
  /** True if the provider stated no number and `window` is derived from accepted requests. */
  isGuess: z.boolean(),
})
export type ContextWindowEstimate = z.infer<typeof contextWindowEstimateSchema>

/** A setting, in tokens, that is lowered because the context window is small. */
const loweredSettingSchema = z.object({
  setting: z.enum(['reserveTokensFloor', 'keepRecentTokens', 'softThresholdTokens']),
  from: z.int(),
  to: z.int(),
})
export type LoweredSetting = z.infer<typeof loweredSettingSchema>

export const contextReportSchema = z.object({
  model: z.string(),
  contextWindow: z.int(),
  reserveTokens: z.int(),
  /** Tokens from which notes are taken, and from which the chat is summarized. */
  flushAt: z.int(),
  compactAt: z.int(),
  lowered: z.array(loweredSettingSchema).optional(),
  /** Steps that the settings turn off. */
  off: z.array(z.enum(['flush', 'compact'])).optional(),
  /** Their tokens sum to `estimatedTokens`. */
  items: z.array(contextItemSchema),
  estimatedTokens: z.int(),
  /** Null before the provider has answered. */
  reportedTokens: z.int().nullable(),
  sentAt: z.number(),
  /** 1-based number of the stored request; undefined before it is sent. */
  request: z.int().optional(),
  /** Undefined for a past request. */
  next: z.array(compactionStepSchema).optional(),
  /** Set if the window proved smaller than stated. */
  learned: contextWindowEstimateSchema.optional(),
})
export type ContextReport = z.infer<typeof contextReportSchema>

export const contextStepSchema = contextReportSchema.omit({ items: true }).extend({
  id: z.string(),
  layers: z.partialRecord(layerSchema, z.int()),
  question: z.string(),
  /** Null if the answer was interrupted. */
  usage: usageSchema.nullable(),
})
export type ContextStep = z.infer<typeof contextStepSchema>

export const contextEventSchema = z.object({
  id: z.string(),
  /** 0-based index of the step that follows it. */
  before: z.int(),
  at: z.number(),
  event: sessionEventSchema,
})
export type ContextEvent = z.infer<typeof contextEventSchema>

const messageExcerptSchema = z.object({ role: z.string(), text: z.string(), tokens: z.int() })

export const contextEventDetailsSchema = z.object({
  /** Messages that the summary replaces. */
  dropped: z.array(messageExcerptSchema),
  /** The messages of `dropped` that the summary does not cover. */
  uncovered: z.array(messageExcerptSchema),
  /** Messages that are sent verbatim. */
  kept: z.array(messageExcerptSchema),
  results: z.array(z.object({ tool: z.string(), characters: z.int(), isCleared: z.boolean() })),
})
export type ContextEventDetails = z.infer<typeof contextEventDetailsSchema>

export const wireRequestSchema = z.object({
  method: z.string(),
  url: z.string(),
  /** Sorted by name, without the headers that the HTTP client adds (Host, Content-Length …). */
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  leftOut: z.int(),
})
export type WireRequest = z.infer<typeof wireRequestSchema>

export const storedRequestSchema = z.object({
  number: z.int(),
  sentAt: z.number(),
  model: z.string(),
  /** The request by layer, before its conversion to the provider's format. */
  json: z.string(),
  /** The last HTTP attempt; null if none was captured. */
  wire: wireRequestSchema.nullable(),
})

const anySession = forAgent.extend({ session: sessionIdSchema.optional() })
const requestNumber = z.int().min(1)

export const context = {
  request: rpc(forSession.extend({ number: requestNumber.optional() }), {
    count: z.int(),
    request: storedRequestSchema.nullable(),
  }),
  /** Without `step`: the report of the last request or, before the first one, of the request that would be sent now. */
  report: rpc(anySession.extend({ step: idSchema.optional() }), contextReportSchema),
  timeline: rpc(forSession, { steps: z.array(contextStepSchema), events: z.array(contextEventSchema) }),
  event: rpc(forSession.extend({ id: idSchema }), contextEventDetailsSchema),
  /** The text that would be sent now if `number` is left out. */
  text: rpc(
    anySession.extend({ number: requestNumber.optional(), layer: layerSchema, name: z.string().max(maxPath) }),
    { text: z.string() },
  ),
}
