/** Notes in the sections of a Markdown file. Pure. */
import { sectionsOf } from '../../shared/sections.ts'

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
  const section = sectionsOf(lines).find((known) => known.title === title)
  if (!section) {
    const gap = lines.length === 0 ? [] : ['']
    const before = [...lines, ...gap, `## ${title}`, '']
    return { text: `${[...before, note].join('\n')}\n`, startLine: before.length + 1 }
  }
  let end = section.to
  while (end > section.from && (lines[end - 1] ?? '').trim() === '') end -= 1
  const rest = lines.slice(section.to)
  const before = [...lines.slice(0, end), ...(end === section.from ? [''] : [])]
  const after = rest.length === 0 ? [] : ['', ...rest]
  return { text: `${[...before, note, ...after].join('\n')}\n`, startLine: before.length + 1 }
}
