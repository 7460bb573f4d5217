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

/** Returns the lines that a unified diff adds. */
export function addedIn(patch: string): string[] {
  return patch.split('\n').flatMap((line) => (/^\+(?!\+\+)/.test(line) ? [line.slice(1)] : []))
}

export interface LargeChange {
  readonly added: number
  readonly removed: number
}

const countLine = /^large change \+(\d+) -(\d+)$/m

/** Formats the header that replaces a patch too large to display. */
export function formatLargeChange(path: string, { added, removed }: LargeChange): string {
  return `--- ${path}\n+++ ${path}\nlarge change +${added} -${removed}\n`
}

/** Parses this header. @returns undefined if the patch contains hunks or has no such header */
export function parseLargeChange(patch: string): LargeChange | undefined {
  // The line follows the two path lines, so the start of the patch is enough.
  const [, added, removed] = countLine.exec(patch.slice(0, 20_000)) ?? []
  if (added === undefined || removed === undefined || patch.includes('\n@@ ')) return undefined
  return { added: Number(added), removed: Number(removed) }
}
