/** The sections of a Markdown text. Pure. */
export interface Section {
  readonly title: string
  /** 1 to 6. */
  readonly level: number
  /** 1-based lines, inclusive, from the heading on. */
  readonly from: number
  readonly to: number
}

/** The block of code that is open after a line, by the mark that ends it; an item of a list may begin with one. */
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  if (fence === undefined) return /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+){0,9}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
  const isEnd = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1]?.startsWith(fence)
  return isEnd ? undefined : fence
}

/** The text with its headings as plain lines: a note in a section begins and ends none. Code stays as it is. */
export function withoutHeadings(text: string): string {
  let fence: string | undefined
  let before = ''
  const plain = text.split('\n').map((line) => {
    const isCode = fence !== undefined
    fence = fenceAfter(line, fence)
    const isTitle = /^ {0,3}#{1,6}(?:\s|$)/.test(line) || (before !== '' && /^ {0,3}(?:=+|-+)\s*$/.test(line))
    before = line.trim()
    return isTitle && !isCode ? line.replace(/[#=-]/, String.raw`\$&`) : line
  })
  return plain.join('\n')
}

/** The mark of a block of code that nothing ends: what comes after the lines would be part of it. */
export function openFenceOf(lines: readonly string[]): string | undefined {
  let fence: string | undefined
  for (const line of lines) fence = fenceAfter(line, fence)
  return fence
}

/** @returns headings with the lines that are theirs, 1-based and inclusive; none inside of code */
export function sectionsOf(lines: readonly string[]): Section[] {
  const headings: { title: string; level: number; from: number }[] = []
  let fence: string | undefined
  for (const [index, whole] of lines.entries()) {
    // The mark of the byte order is no part of the first line.
    const line = index === 0 ? whole.replace(/^\uFEFF/, '') : whole
    const isCode = fence !== undefined
    fence = fenceAfter(line, fence)
    if (isCode) continue
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
