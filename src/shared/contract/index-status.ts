/** How the search index is: what it has, what it is doing, what it cannot. */
import { z } from 'zod'

export const indexStatusSchema = z.object({
  files: z.number().int(),
  chunks: z.number().int(),
  embedded: z.number().int(),
  provider: z.string(),
  model: z.string(),
  /** `starting` until the first scan ended; `failed` when no index can be had (see problems). */
  state: z.enum(['starting', 'indexing', 'rebuilding', 'ready', 'failed']),
  /** Files done and to do of the sync that is running. */
  done: z.number().int(),
  total: z.number().int(),
  /** Milliseconds until the work that is under way is done, at its speed so far. */
  etaMs: z.number().optional(),
  /** A model for embeddings that is being fetched; `share` is 0 to 1. */
  download: z.object({ file: z.string(), share: z.number() }).optional(),
  problems: z.array(
    z.object({
      code: z.string(),
      /** In the words of whoever failed. */
      message: z.string(),
      path: z.string().optional(),
      /** Milliseconds since the epoch. */
      since: z.number().optional(),
    }),
  ),
})
export type IndexStatus = z.infer<typeof indexStatusSchema>
