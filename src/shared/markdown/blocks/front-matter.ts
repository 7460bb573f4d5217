/**
 * Returns UTF-16 offsets: `from` to `to` are the lines between the delimiters; `end` is after the closing one. Undefined
 * if the YAML front matter is missing or not closed.
 */
export function frontMatterOf(text: string) {
  const from = /^\uFEFF?---[\t ]*\r?\n/.exec(text.slice(0, 100))?.[0].length
  if (from === undefined) return undefined
  const closingPattern = /^(?:---|\.\.\.)[\t ]*\r?$/gm
  closingPattern.lastIndex = from
  const to = closingPattern.exec(text)?.index
  return to === undefined ? undefined : { from, to, end: Math.min(text.length, closingPattern.lastIndex + 1) }
}

export function frontMatterEnd(text: string): number {
  return frontMatterOf(text)?.end ?? 0
}

/** Returns the number of lines of YAML or TOML front matter, including delimiters; 0 if there is none. */
export function frontMatterLines(lines: readonly string[]): number {
  const delimiter = /^\uFEFF?(---|\+\+\+)[\t ]*\r?$/.exec(lines[0] ?? '')?.[1]
  if (delimiter === undefined) return 0
  const closing = delimiter === '---' ? /^(?:---|\.\.\.)[\t ]*\r?$/ : /^\+\+\+[\t ]*\r?$/
  return lines.findIndex((line, index) => index > 0 && closing.test(line)) + 1
}
