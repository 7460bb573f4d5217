import { z } from 'zod'

export const fileChangeSchema = z.object({
  path: z.string(),
  /** Unified diff. For a large change, only a header (see large-change.ts). */
  patch: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
  /** First changed line of the new text, 1-based. */
  startLine: z.number().int(),
  /** Id of the change set, to undo it; undefined if the history could not store it. */
  change: z.number().int().optional(),
})
export type FileChange = z.infer<typeof fileChangeSchema>

export function addedIn(patch: string): string[] {
  return patch.split('\n').flatMap((line) => (/^\+(?!\+\+)/.test(line) ? [line.slice(1)] : []))
}
