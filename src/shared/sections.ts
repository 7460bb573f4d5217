/** The sections of a Markdown text. Pure. */
export interface Section {
  readonly title: string
  /** 1 to 6. */
  readonly level: number
  /** 1-based lines, inclusive, from the heading on. */
  readonly from: number
  readonly to: number
}

/** @returns headings with the lines that are theirs, 1-based and inclusive; none inside of code */
export function sectionsOf(lines: readonly string[]): Section[] {
  const headings: { title: string; level: number; from: number }[] = []
  let fence: string | undefined
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark) fence = mark
    const [, marks, title] = /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? []
    if (marks !== undefined) headings.push({ title: title ?? '', level: marks.length, from: index + 1 })
  }
  return headings.map((heading, index) => {
    const next = headings.slice(index + 1).find(({ level }) => level <= heading.level)
    return { ...heading, to: next ? next.from - 1 : lines.length }
  })
}
