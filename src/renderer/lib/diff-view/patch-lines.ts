export interface PatchLine {
  readonly kind: 'added' | 'removed' | 'same'
  readonly text: string
}

const kinds = { '+': 'added', '-': 'removed', ' ': 'same' } as const

/** Returns the lines of a unified diff without headers, from the first to the last non-blank change. */
export function patchLines(patch: string): PatchLine[] {
  const lines: PatchLine[] = []
  let isInHunk = false
  for (const line of patch.split('\n')) {
    if (line.startsWith('@@')) {
      isInHunk = true
      continue
    }
    const kind = kinds[line[0] as keyof typeof kinds]
    if (isInHunk && kind) lines.push({ kind, text: line.slice(1) })
  }
  const isChange = ({ kind, text }: PatchLine) => kind !== 'same' && text.trim() !== ''
  const first = lines.findIndex(isChange)
  const last = lines.findLastIndex(isChange)
  return first < 0 ? lines : lines.slice(first, last + 1)
}
