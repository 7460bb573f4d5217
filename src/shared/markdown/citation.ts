export interface Citation {
  readonly path: string
  /** 1-based; undefined if the whole file is cited. */
  readonly line: number | undefined
  /** Inclusive; equals `line` for a single line. */
  readonly endLine: number | undefined
}

const pattern = /\[([^[\]\n]+?\.(?:md|markdown|jsonl))(?::(\d+)(?:[-–](\d+))?)?\]/giu

/** Splits a text into plain text and citations such as `[notes/a.md:3-5]`, in order. */
export function splitCitations(text: string): (string | Citation)[] {
  const parts: (string | Citation)[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    const [all, path = '', line, endLine] = match
    if (match.index > from) parts.push(text.slice(from, match.index))
    const first = line === undefined ? undefined : Number(line)
    parts.push({ path, line: first, endLine: endLine === undefined ? first : Number(endLine) })
    from = match.index + all.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}
