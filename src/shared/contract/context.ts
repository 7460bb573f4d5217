import { z } from 'zod'
import { layers } from '../chat/context-items.ts'
import { usageSchema } from '../chat/message-schemas.ts'
import { maxPath } from '../util/limits.ts'
import { base, forAgent, forSession, idSchema, sessionIdSchema } from './base.ts'
import { sessionEventSchema } from './sessions.ts'

export const layerSchema = z.enum(layers)
export type Layer = z.infer<typeof layerSchema>

export const contextItemSchema = z.object({
  layer: layerSchema,
  name: z.string(),
  tokens: z.number().int(),
  /** Characters on disk and in the request; different if the item was truncated. */
  rawCharacters: z.number().int(),
  sentCharacters: z.number().int(),
  note: z.enum(['missing', 'cut', 'today', 'yesterday', 'summary']).optional(),
  /** First words of this part of the conversation. */
  about: z.string().optional(),
})
export type ContextItem = z.infer<typeof contextItemSchema>

/** Steps that keep a conversation within the context window. */
export const compactionStepSchema = z.enum(['prune', 'flush', 'compact'])
export type CompactionStep = z.infer<typeof compactionStepSchema>

/** A context window, in tokens, that proved smaller than the model list stated (`believed`). */
export const contextWindowEstimateSchema = z.object({
  window: z.number().int(),
  believed: z.number().int(),
  /** True if the provider stated no number and `window` is derived from accepted requests. */
  isGuess: z.boolean(),
})
export type ContextWindowEstimate = z.infer<typeof contextWindowEstimateSchema>

/** A setting of the compaction that the context window lowers, in tokens. */
const loweredSettingSchema = z.object({
  setting: z.enum(['reserveTokensFloor', 'keepRecentTokens', 'softThresholdTokens']),
  from: z.number().int(),
  to: z.number().int(),
})
export type LoweredSetting = z.infer<typeof loweredSettingSchema>

export const contextReportSchema = z.object({
  model: z.string(),
  contextWindow: z.number().int(),
  reserveTokens: z.number().int(),
  flushAt: z.number().int(),
  compactAt: z.number().int(),
  lowered: z.array(loweredSettingSchema).optional(),
  /** Steps that the settings turn off; their thresholds have no effect. */
  off: z.array(z.enum(['flush', 'compact'])).optional(),
  /** Their tokens sum to `estimatedTokens`. */
  items: z.array(contextItemSchema),
  /** Estimate by script, corrected by the provider's last count. */
  estimatedTokens: z.number().int(),
  /** The provider's count for the whole request; null before it has answered. */
  reportedTokens: z.number().int().nullable(),
  sentAt: z.number(),
  /** 1-based number of the stored request; undefined before it is sent. */
  request: z.number().int().optional(),
  /** Steps due before the next message is sent; undefined for a past request. */
  next: z.array(compactionStepSchema).optional(),
  /** Set if the window differs from the model list. */
  learned: contextWindowEstimateSchema.optional(),
})
export type ContextReport = z.infer<typeof contextReportSchema>

export const contextStepSchema = contextReportSchema.omit({ items: true }).extend({
  id: z.string(),
  /** Tokens by layer; they sum to the total. */
  layers: z.partialRecord(layerSchema, z.number().int()),
  question: z.string(),
  /** Id of the answer's entry; null if the answer was interrupted. */
  answer: z.string().nullable(),
  usage: usageSchema.nullable(),
})
export type ContextStep = z.infer<typeof contextStepSchema>

export const contextEventSchema = z.object({
  id: z.string(),
  /** 0-based index of the step that follows it. */
  before: z.number().int(),
  at: z.number(),
  event: sessionEventSchema,
})
export type ContextEvent = z.infer<typeof contextEventSchema>

const messageExcerptSchema = z.object({ role: z.string(), text: z.string(), tokens: z.number().int() })

export const contextEventDetailsSchema = z.object({
  /** For a compaction: messages replaced by the summary, and messages sent verbatim. */
  dropped: z.array(messageExcerptSchema),
  /** The messages of `dropped` that no line of the summary stands for. */
  uncovered: z.array(messageExcerptSchema),
  kept: z.array(messageExcerptSchema),
  /** For a pruning: tool results that are truncated or cleared. */
  results: z.array(z.object({ tool: z.string(), characters: z.number().int(), isCleared: z.boolean() })),
})
export type ContextEventDetails = z.infer<typeof contextEventDetailsSchema>

/** A request in the provider's format as sent over HTTP, with secrets redacted. */
export const wireRequestSchema = z.object({
  method: z.string(),
  url: z.string(),
  /** Sorted by name, without the headers that the HTTP client adds (Host, Content-Length …). */
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  /** Characters cut from the body: image data, and the middle of a very long body. */
  leftOut: z.number().int(),
})
export type WireRequest = z.infer<typeof wireRequestSchema>

export const storedRequestSchema = z.object({
  number: z.number().int(),
  sentAt: z.number(),
  /** Format of the configuration: `offline`, `anthropic/<model>` … */
  model: z.string(),
  /** The request by layer, before its conversion to the provider's format. */
  json: z.string(),
  /** The last HTTP attempt; null for the offline model, and if it was not captured. */
  wire: wireRequestSchema.nullable(),
})

const anySession = forAgent.extend({ session: sessionIdSchema.optional() })
const requestNumber = z.number().int().min(1)

export const context = {
  /** Returns a stored request of a session without keys, by 1-based number; the last one by default. */
  request: base
    .input(forSession.extend({ number: requestNumber.optional() }))
    .output(z.object({ count: z.number().int(), request: storedRequestSchema.nullable() })),
  /**
   * Reports on the last request of a session, or on the one of `step`. Without a session, or before its first request,
   * reports on the request that it would send now.
   */
  report: base.input(anySession.extend({ step: idSchema.optional() })).output(contextReportSchema),
  /** Oldest first. */
  timeline: base
    .input(forSession)
    .output(z.object({ steps: z.array(contextStepSchema), events: z.array(contextEventSchema) })),
  event: base.input(forSession.extend({ id: idSchema })).output(contextEventDetailsSchema),
  /** Text of an item as sent, or as it would be sent now if `number` is left out. */
  text: base
    .input(anySession.extend({ number: requestNumber.optional(), layer: layerSchema, name: z.string().max(maxPath) }))
    .output(z.object({ text: z.string() })),
}
