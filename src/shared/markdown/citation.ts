export interface Citation {
  readonly path: string
  /** 1-based; undefined if the whole file is cited. */
  readonly line: number | undefined
  readonly endLine: number | undefined
}

const citationPattern = /\[([^[\]\n]+?\.(?:md|markdown|jsonl))(?::(\d+)(?:[-–](\d+))?)?\]/giu

/** Splits a text into plain text and citations such as `[notes/a.md:3-5]`, in order. */
export function splitCitations(text: string): (string | Citation)[] {
  return splitText(text, citationPattern, ([, path = '', line, endLine]) => {
    const firstLine = line === undefined ? undefined : Number(line)
    return { path, line: firstLine, endLine: endLine === undefined ? firstLine : Number(endLine) }
  })
}

/** Splits a text into its matches, as `toPart` returns them, and the text between them, in order. */
export function splitText<Part>(
  text: string,
  pattern: RegExp,
  toPart: (match: RegExpExecArray) => Part,
): (string | Part)[] {
  const parts: (string | Part)[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) parts.push(text.slice(from, match.index))
    parts.push(toPart(match))
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}
