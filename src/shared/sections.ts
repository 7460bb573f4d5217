/** The sections of a Markdown text. Pure. */
export interface Section {
  readonly title: string
  /** 1 to 6. */
  readonly level: number
  /** 1-based lines, inclusive, from the heading on. */
  readonly from: number
  readonly to: number
}

/** What opens or closes a block of code. */
function fenceIn(line: string): string | undefined {
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
}

/** The mark of a block of code that nothing ends: what comes after the lines would be part of it. */
export function openFenceOf(lines: readonly string[]): string | undefined {
  let fence: string | undefined
  for (const line of lines) {
    const mark = fenceIn(line)
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
  }
  return fence
}

/** @returns headings with the lines that are theirs, 1-based and inclusive; none inside of code */
export function sectionsOf(lines: readonly string[]): Section[] {
  const headings: { title: string; level: number; from: number }[] = []
  let fence: string | undefined
  for (const [index, whole] of lines.entries()) {
    // The mark of the byte order is no part of the first line.
    const line = index === 0 ? whole.replace(/^\uFEFF/, '') : whole
    const mark = fenceIn(line)
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark) fence = mark
    const marks = /^#{1,6}(?=\s)/.exec(line)?.[0]
    if (marks !== undefined) headings.push({ title: titleOf(line, marks), level: marks.length, from: index + 1 })
  }
  // From the end: a section goes on to the next heading that is not below it.
  const next = Array.from({ length: 7 }, () => lines.length + 1)
  const sections = headings.toReversed().map((heading) => {
    const to = Math.min(...next.slice(1, heading.level + 1)) - 1
    next[heading.level] = heading.from
    return { ...heading, to }
  })
  return sections.reverse()
}

/** By hand: a pattern that trims both ends of a line takes minutes on one of 100,000 spaces. */
function titleOf(line: string, marks: string): string {
  const text = line.slice(marks.length).trim()
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  return text.slice(0, end).trimEnd()
}
