import { z } from 'zod'
import { base, forAgent, sessionIdSchema } from './base.ts'

/** The layers of a request, in the order in which the model reads them. */
export const layerSchema = z.enum(['system', 'project', 'logs', 'summary', 'conversation', 'tools', 'message'])
export type Layer = z.infer<typeof layerSchema>

export const contextItemSchema = z.object({
  layer: layerSchema,
  name: z.string(),
  /** Estimated tokens, as sent. */
  tokens: z.number().int(),
  /** Characters on disk and in the request; they differ when the item was cut. */
  rawCharacters: z.number().int(),
  sentCharacters: z.number().int(),
  note: z.enum(['missing', 'cut', 'today', 'yesterday']).optional(),
})
export type ContextItem = z.infer<typeof contextItemSchema>

export const contextReportSchema = z.object({
  model: z.string(),
  contextWindow: z.number().int(),
  reserveTokens: z.number().int(),
  flushAt: z.number().int(),
  compactAt: z.number().int(),
  items: z.array(contextItemSchema),
  estimatedTokens: z.number().int(),
  /** The provider's own count of the whole request; null before it has answered. */
  reportedTokens: z.number().int().nullable(),
  sentAt: z.number(),
})
export type ContextReport = z.infer<typeof contextReportSchema>

export const keptRequestSchema = z.object({ number: z.number().int(), sentAt: z.number(), json: z.string() })

export const context = {
  /** A request of a session exactly as it was sent, without keys; the last one when no number is given. 1-based. */
  request: base
    .input(forAgent.extend({ session: sessionIdSchema, number: z.number().int().min(1).optional() }))
    .output(z.object({ count: z.number().int(), request: keptRequestSchema.nullable() })),
  /** The last request of a session, or (with no session, or before its first request) the one it would send now. */
  report: base.input(forAgent.extend({ session: sessionIdSchema.optional() })).output(contextReportSchema),
}
