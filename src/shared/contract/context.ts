import { z } from 'zod'
import { usageSchema } from '../chat/message-schemas.ts'
import { maxPath } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema, sessionIdSchema } from './base.ts'
import { sessionEventSchema } from './sessions.ts'

/** The layers of a request, in the order in which the model reads them. */
export const layerSchema = z.enum(['system', 'project', 'logs', 'summary', 'conversation', 'tools', 'message'])
export type Layer = z.infer<typeof layerSchema>

export const contextItemSchema = z.object({
  layer: layerSchema,
  name: z.string(),
  tokens: z.number().int(),
  /** Characters on disk and in the request; they differ when the item was cut. */
  rawCharacters: z.number().int(),
  sentCharacters: z.number().int(),
  note: z.enum(['missing', 'cut', 'today', 'yesterday']).optional(),
  /** What a stretch of the conversation began with, in its first words. */
  about: z.string().optional(),
})
export type ContextItem = z.infer<typeof contextItemSchema>

/** What keeps a conversation in its window. */
export const keepingStepSchema = z.enum(['prune', 'flush', 'compact'])
export type KeepingStep = z.infer<typeof keepingStepSchema>

/** A window that a provider has shown to be smaller than was believed, tokens. */
export const learnedWindowSchema = z.object({
  window: z.number().int(),
  believed: z.number().int(),
  /** The provider named no number: it is what requests were seen to fit into. */
  isGuess: z.boolean(),
})
export type LearnedWindow = z.infer<typeof learnedWindowSchema>

/** What a request to a remote model goes without. */
export const heldBackSchema = z.object({
  /** Answers, results and summaries that a local model made of local notes. */
  messages: z.number().int(),
  /** Lines, or parts of such, by their note. */
  notes: z.array(z.object({ path: z.string(), lines: z.number().int() })),
})
export type HeldBack = z.infer<typeof heldBackSchema>

export const contextReportSchema = z.object({
  model: z.string(),
  contextWindow: z.number().int(),
  reserveTokens: z.number().int(),
  flushAt: z.number().int(),
  compactAt: z.number().int(),
  /** Their tokens sum to `estimatedTokens`. */
  items: z.array(contextItemSchema),
  /** By the script of the text, then set right by what the provider counted last. */
  estimatedTokens: z.number().int(),
  /** The provider's own count of the whole request; null before it has answered. */
  reportedTokens: z.number().int().nullable(),
  sentAt: z.number(),
  /** Under which number the request is kept; undefined before it is sent. */
  request: z.number().int().optional(),
  /** What will be done before the next message is sent; undefined for a request of the past. */
  next: z.array(keepingStepSchema).optional(),
  /** Where the window is not the one that was believed. */
  learned: learnedWindowSchema.optional(),
  /** What stays on this machine, where the model is a remote one. */
  heldBack: heldBackSchema.optional(),
})
export type ContextReport = z.infer<typeof contextReportSchema>

/** One request of a conversation. */
export const contextStepSchema = contextReportSchema.omit({ items: true }).extend({
  /** Of the transcript's entry. */
  id: z.string(),
  /** Tokens by layer; they sum to the total. */
  layers: z.partialRecord(layerSchema, z.number().int()),
  /** What the user had asked, in its first words. */
  question: z.string(),
  /** The answer's entry; null where it broke off. */
  answer: z.string().nullable(),
  usage: usageSchema.nullable(),
})
export type ContextStep = z.infer<typeof contextStepSchema>

/** What kept the conversation in its window. */
export const contextEventSchema = z.object({
  id: z.string(),
  /** 0-based index of the step before which it happened. */
  before: z.number().int(),
  at: z.number(),
  event: sessionEventSchema,
})
export type ContextEvent = z.infer<typeof contextEventSchema>

/** A part of a request as it was sent. */
export const requestBlockSchema = z.object({ layer: layerSchema, name: z.string(), text: z.string() })
export type RequestBlock = z.infer<typeof requestBlockSchema>

export const blockChangeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('same'), count: z.number().int() }),
  requestBlockSchema.extend({ kind: z.enum(['added', 'removed']) }),
])
export type BlockChange = z.infer<typeof blockChangeSchema>

const spokenSchema = z.object({ role: z.string(), text: z.string(), tokens: z.number().int() })

export const contextEventDetailsSchema = z.object({
  /** A compaction's: messages that its summary stands for from here on, and those that stayed word for word. */
  dropped: z.array(spokenSchema),
  kept: z.array(spokenSchema),
  /** A pruning's: results that are sent cut or not at all. */
  results: z.array(z.object({ tool: z.string(), characters: z.number().int(), isCleared: z.boolean() })),
})
export type ContextEventDetails = z.infer<typeof contextEventDetailsSchema>

export const whatIfWindowSchema = z.object({
  /** Tokens, as another model has them. */
  contextWindow: z.number().int().min(1000).max(100_000_000).optional(),
  /** Files that would not be read into the request. */
  without: z.array(filePathSchema).max(100).optional(),
})
export type WhatIfWindow = z.infer<typeof whatIfWindowSchema>

/** A request in the provider's own form, as it went over the wire, without what is secret. */
export const wireRequestSchema = z.object({
  method: z.string(),
  url: z.string(),
  /** In the order of their names; the connection adds its own (Host, Content-Length …). */
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  /** Characters of the body that are not here: of pictures, and of the middle of what is very long. */
  leftOut: z.number().int(),
})
export type WireRequest = z.infer<typeof wireRequestSchema>

export const keptRequestSchema = z.object({
  number: z.number().int(),
  sentAt: z.number(),
  /** As in the configuration: `offline`, `anthropic/<model>`, … */
  model: z.string(),
  /** Layer by layer, as it was put together. */
  json: z.string(),
  /** The last time that it went out; null where it never did (the offline model), or where that was not kept. */
  wire: wireRequestSchema.nullable(),
})

const ofSession = forAgent.extend({ session: sessionIdSchema })
const ofAny = forAgent.extend({ session: sessionIdSchema.optional() })
const requestNumber = z.number().int().min(1)

export const context = {
  /** A request of a session exactly as it was sent, without keys; the last one when no number is given. 1-based. */
  request: base
    .input(ofSession.extend({ number: requestNumber.optional() }))
    .output(z.object({ count: z.number().int(), request: keptRequestSchema.nullable() })),
  /**
   * The last request of a session, or another one by its step, or (with no session, or before its first request) the
   * one it would send now.
   */
  report: base.input(ofAny.extend({ step: idSchema.optional() })).output(contextReportSchema),
  /** Oldest first. */
  timeline: base
    .input(ofSession)
    .output(z.object({ steps: z.array(contextStepSchema), events: z.array(contextEventSchema) })),
  event: base.input(ofSession.extend({ id: idSchema })).output(contextEventDetailsSchema),
  /** The text of an item as it was sent, or would be. */
  text: base
    .input(ofAny.extend({ number: requestNumber.optional(), layer: layerSchema, name: z.string().max(maxPath) }))
    .output(z.object({ text: z.string() })),
  /** What the later request has that the earlier one had not, and the other way round. */
  difference: base
    .input(ofSession.extend({ from: requestNumber, to: requestNumber }))
    .output(z.object({ changes: z.array(blockChangeSchema) })),
  /** The request that would be sent now, if something were otherwise; and what `/compact` would do then. */
  whatIf: base.input(ofAny.extend({ change: whatIfWindowSchema })).output(
    z.object({
      report: contextReportSchema,
      /** Null when there is nothing to summarise. */
      compaction: z
        .object({ messages: z.number().int(), tokens: z.number().int(), summaryTokens: z.number().int() })
        .nullable(),
    }),
  ),
}
