/** Headers of patches that are too large to display. The window imports them without the schemas of `file-change.ts`. */
export interface LargeChange {
  readonly added: number
  readonly removed: number
}

const countLine = /^large change \+(\d+) -(\d+)$/m

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
