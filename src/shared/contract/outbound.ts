import { z } from 'zod'

/** Kinds of requests to other machines; the first seven are requests to models. */
const outboundPurposes = [
  'chat',
  'title',
  'flush',
  'summary',
  'topic',
  'upkeep',
  'models',
  'embedding',
  'picture',
  'tools',
  'program', // Not a request: text for a tool server that runs as a program here, and may send it.
  'download',
  'update',
  'dictionary',
] as const

/** Second line of a request in the ledger. `outcome` is the HTTP status, `ok` or an error code. */
export const outboundOutcomeSchema = z.object({ id: z.string(), outcome: z.union([z.number(), z.string()]) })

/** Without an outcome, the app ended before the answer. */
export const outboundRequestSchema = outboundOutcomeSchema.partial({ outcome: true }).extend({
  at: z.string(),
  purpose: z.enum(outboundPurposes),
  /** Origin of the URL, or `program:<name>`. */
  host: z.string(),
  chat: z.string().optional(),
  /** True for private text: the user has allowed the request, or trusts the receiver like this machine. */
  isPrivate: z.boolean().optional(),
  /** Characters of the body; bytes if it is not text; without a body, characters of path and query. */
  characters: z.number(),
})
export type OutboundRequest = z.infer<typeof outboundRequestSchema>
