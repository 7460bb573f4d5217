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
