export interface Citation {
  readonly path: string
  /** 1-based; undefined if the whole file is cited. */
  readonly line: number | undefined
  /** Inclusive; equals `line` for a single line. */
  readonly endLine: number | undefined
}

const citationPattern = /\[([^[\]\n]+?\.(?:md|markdown|jsonl))(?::(\d+)(?:[-–](\d+))?)?\]/giu

/** Splits a text into plain text and citations such as `[notes/a.md:3-5]`, in order. */
export function splitCitations(text: string): (string | Citation)[] {
  const parts: (string | Citation)[] = []
  let textStart = 0
  for (const match of text.matchAll(citationPattern)) {
    const [fullMatch, path = '', line, endLine] = match
    if (match.index > textStart) parts.push(text.slice(textStart, match.index))
    const firstLine = line === undefined ? undefined : Number(line)
    parts.push({ path, line: firstLine, endLine: endLine === undefined ? firstLine : Number(endLine) })
    textStart = match.index + fullMatch.length
  }
  if (textStart < text.length) parts.push(text.slice(textStart))
  return parts
}
