/** Notes in the sections of a Markdown file. Pure. */
import { sectionsOf } from '../../shared/sections.ts'

/** A note as an item of a list; its further lines are indented under it. */
export function noteItem(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n')
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** Where a note stands in a section as it would be added, the last time: 1-based, inclusive; undefined where it does not. */
export function findInSection(
  text: string,
  title: string,
  note: string,
): { readonly startLine: number; readonly endLine: number } | undefined {
  const lines = text.split('\n')
  const section = sectionsOf(lines).find((known) => known.title === title)
  // In a block of code that nothing ends, what was added is no section for others.
  const heading = lines.lastIndexOf(`## ${title}`)
  if (!section && heading < 0) return undefined
  const { from, to } = section ?? { from: heading + 1, to: lines.length }
  const wanted = note.split('\n')
  for (let at = to - wanted.length; at >= from; at -= 1)
    if (wanted.every((line, index) => lines[at + index] === line))
      return { startLine: at + 1, endLine: at + wanted.length }
  return undefined
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
