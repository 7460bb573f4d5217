/** Offsets of the lines between the rules, half-open, and what is behind the closing rule. */
export interface FrontMatter {
  readonly from: number
  readonly to: number
  readonly end: number
}

/** YAML between `---` in the first line and `---` or `...`; undefined where nothing closes it. */
export function frontMatterOf(text: string): FrontMatter | undefined {
  const from = /^\uFEFF?---[\t ]*\r?\n/.exec(text.slice(0, 100))?.[0].length
  if (from === undefined) return undefined
  const close = /^(?:---|\.\.\.)[\t ]*\r?$/gm
  close.lastIndex = from
  const to = close.exec(text)?.index
  return to === undefined ? undefined : { from, to, end: Math.min(text.length, close.lastIndex + 1) }
}

/** Offset behind the front matter; 0 where there is none. */
export function frontMatterEnd(text: string): number {
  return frontMatterOf(text)?.end ?? 0
}

/** Lines that front matter takes, with its rules; 0 where there is none. */
export function frontMatterLines(lines: readonly string[]): number {
  if (!/^\uFEFF?---[\t ]*\r?$/.test(lines[0] ?? '')) return 0
  return lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)[\t ]*\r?$/.test(line)) + 1
}
