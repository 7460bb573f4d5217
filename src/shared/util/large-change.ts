export interface LargeChange {
  /** Git blob ids (SHA-1) of the text before and after. */
  readonly before: string
  readonly after: string
  readonly added: number
  readonly removed: number
}

const indexLine = /^index ([0-9a-f]{40})\.\.([0-9a-f]{40}) \+(\d+) -(\d+)$/m

/** Formats the header that replaces a patch too large to store. */
export function formatLargeChange(path: string, { before, after, added, removed }: LargeChange): string {
  return `--- ${path}\n+++ ${path}\nindex ${before}..${after} +${added} -${removed}\n`
}

/** Parses this header. @returns undefined if the patch contains hunks or has no such header */
export function parseLargeChange(patch: string): LargeChange | undefined {
  // The index line follows the two path lines, so the start of the patch is enough.
  const [, before, after, added, removed] = indexLine.exec(patch.slice(0, 20_000)) ?? []
  if (before === undefined || after === undefined || patch.includes('\n@@ ')) return undefined
  return { before, after, added: Number(added), removed: Number(removed) }
}
