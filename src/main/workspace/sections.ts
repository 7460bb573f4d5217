/** Notes in the sections of a Markdown file. Pure. */

/** A note as an item of a list; its further lines are indented under it. */
export function noteItem(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n')
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/**
 * Adds lines to the end of a section; the section is made at the end of the text when there is none of that name.
 * `startLine` is the 1-based line at which they stand.
 */
export function addToSection(text: string, title: string, note: string): { text: string; startLine: number } {
  const lines = text === '' ? [] : text.replace(/\n*$/, '').split('\n')
  const at = lines.findIndex((line) => headingOf(line)?.title === title)
  if (at < 0) {
    const gap = lines.length === 0 ? [] : ['']
    const before = [...lines, ...gap, `## ${title}`, '']
    return { text: `${[...before, note].join('\n')}\n`, startLine: before.length + 1 }
  }
  const level = headingOf(lines[at] ?? '')?.level ?? 1
  const next = lines.findIndex((line, index) => index > at && (headingOf(line)?.level ?? 7) <= level)
  let end = next < 0 ? lines.length : next
  while (end > at + 1 && (lines[end - 1] ?? '').trim() === '') end -= 1
  const gapBefore = end === at + 1 ? [''] : []
  const gapAfter = next < 0 ? [] : ['']
  const after = next < 0 ? [] : lines.slice(next)
  const before = [...lines.slice(0, end), ...gapBefore]
  return { text: `${[...before, note, ...gapAfter, ...after].join('\n')}\n`, startLine: before.length + 1 }
}

function headingOf(line: string): { title: string; level: number } | undefined {
  const [, marks, title] = /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? []
  return marks === undefined ? undefined : { title: title ?? '', level: marks.length }
}
