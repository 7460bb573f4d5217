export interface LargeChange {
  /** Git's blob ids of the text before and after. */
  readonly before: string
  readonly after: string
  readonly added: number
  readonly removed: number
}

const line = /^index ([0-9a-f]{40})\.\.([0-9a-f]{40}) \+(\d+) -(\d+)$/m

export function formatLargeChange(path: string, { before, after, added, removed }: LargeChange): string {
  return `--- ${path}\n+++ ${path}\nindex ${before}..${after} +${added} -${removed}\n`
}

/** @returns undefined for a patch that shows its lines */
export function parseLargeChange(patch: string): LargeChange | undefined {
  // It stands right below the two names; a long patch need not be looked through.
  const [, before, after, added, removed] = line.exec(patch.slice(0, 20_000)) ?? []
  if (before === undefined || after === undefined || patch.includes('\n@@ ')) return undefined
  return { before, after, added: Number(added), removed: Number(removed) }
}
