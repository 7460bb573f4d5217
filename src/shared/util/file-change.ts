import { z } from 'zod'

export const fileChangeSchema = z.object({
  path: z.string(),
  /** A unified diff that undo applies in reverse; of a large change only its outline (see large-change.ts). */
  patch: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
  /** The first changed line of the new text, 1-based. */
  startLine: z.number().int(),
})
export type FileChange = z.infer<typeof fileChangeSchema>
