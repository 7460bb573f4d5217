/** Which lines of a file, as it is now, were shown by searches of the past. Pure. */

export interface ShownPassage {
  /** Of the search; one search counts once. */
  readonly search: string
  readonly startLine: number
  readonly snippet: string
}

/**
 * Lines are known by what they say, since files change: a line that moved keeps its count, one that was rewritten
 * begins anew. Of equal lines the one nearest to where it was shown is meant.
 * @returns the number of searches for each line that was shown, by 0-based line
 */
export function countRecalls(lines: readonly string[], passages: readonly ShownPassage[]): Map<number, number> {
  const places = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    if (text === '') continue
    const known = places.get(text)
    if (known) known.push(index)
    else places.set(text, [index])
  }
  const searches = new Map<number, Set<string>>()
  for (const { search, startLine, snippet } of passages) {
    for (const [offset, shown] of snippet.split('\n').entries()) {
      const expected = startLine - 1 + offset
      const found = places.get(shown.trim()) ?? (/^…|…$/.test(shown) ? having(lines, shown) : undefined)
      if (!found) continue
      const nearest = found.reduce((best, at) => (Math.abs(at - expected) < Math.abs(best - expected) ? at : best))
      const known = searches.get(nearest)
      if (known) known.add(search)
      else searches.set(nearest, new Set([search]))
    }
  }
  return new Map([...searches].map(([line, { size }]) => [line, size]))
}

/** Of a line that was too long a part was shown, with an ellipsis on either side where something is missing. */
function having(lines: readonly string[], shown: string): number[] | undefined {
  const part = shown.replace(/^…/, '').replace(/…$/, '').trim()
  const isBeginning = !shown.startsWith('…')
  const has = (line: string) => (isBeginning ? line.trim().startsWith(part) : line.includes(part))
  const found = lines.flatMap((line, index) => (part !== '' && has(line) ? [index] : []))
  return found.length > 0 ? found : undefined
}
