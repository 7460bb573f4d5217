/** Finds `[path.md:12]` and `[path.md:12-18]` in text, the form in which agents cite memory. Pure. */

export interface Citation {
  readonly path: string
  readonly line: number | undefined
}

const pattern = /\[([^[\]\n]+?\.(?:md|markdown|jsonl))(?::(\d+)(?:[-–](\d+))?)?\]/giu

/** Alternates plain text and citations, in order. */
export function splitCitations(text: string): (string | Citation)[] {
  const parts: (string | Citation)[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) parts.push(text.slice(from, match.index))
    parts.push({ path: match[1] ?? '', line: match[2] === undefined ? undefined : Number(match[2]) })
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** A citation as an address that passes through Markdown unharmed. */
export function citationHref({ path, line }: Citation): string {
  return `#cite:${encodeURIComponent(path)}${line === undefined ? '' : `:${line}`}`
}

export function parseCitationHref(href: string | undefined): Citation | undefined {
  const match = /^#cite:([^:]+)(?::(\d+))?$/.exec(href ?? '')
  return match?.[1] === undefined
    ? undefined
    : { path: decodeURIComponent(match[1]), line: match[2] === undefined ? undefined : Number(match[2]) }
}
