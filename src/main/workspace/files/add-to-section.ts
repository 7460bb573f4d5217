import { AppError } from '#shared/util/errors.ts'
import type { Dialect } from '#shared/markdown/blocks/scan-blocks.ts'
import { openFenceOf, sectionsOf, withoutHeadings, type Section } from '#shared/markdown/sections.ts'

/** Strips heading marks from the name of a section. @throws AppError `input_invalid` for an empty or multi-line name */
export function sectionTitle(input: string): string {
  const title = input.replace(/^[\s\uFEFF#]+/, '').trim()
  const reason =
    title === ''
      ? 'a section needs a name'
      : /[\p{Cc}\u2028\u2029]/u.test(title)
        ? 'the name of a section must be one line'
        : ''
  if (reason !== '') throw new AppError('input_invalid', reason, { reason })
  return title
}

function findSection(lines: readonly string[], title: string): Section | undefined {
  const sections = sectionsOf(lines)
  const name = headingTitle(title)
  const plain = name.toLowerCase()
  return (
    sections.find((known) => known.title === name) ??
    sections.find((known) => known.title.toLowerCase() === plain) ??
    // A note for a section that is marked local goes there, not into a new section that is not local.
    sections.find((known) => withoutFootnotes(known.title).toLowerCase() === withoutFootnotes(plain))
  )
}

function withoutFootnotes(title: string): string {
  return title.replaceAll(/\^\[[^\]]*\]/g, '').trim()
}

/** Returns the title as the parser reads it from a heading: `C#` → `C`. */
function headingTitle(title: string): string {
  return sectionsOf([`## ${title}`])[0]?.title ?? title
}

/** Closes a code block that the text leaves open, so that appended text is not part of it. */
export function withFencesClosed(text: string, dialect?: Dialect): string {
  const fence = openFenceOf(text.split('\n'), dialect)
  if (fence === undefined) return text
  return text.endsWith('\n') ? `${text}${fence}\n` : `${text}\n${fence}`
}

/** Returns the text of a note for a place below a heading: own headings are escaped, open code blocks closed. */
export function noteBody(text: string): string {
  return withFencesClosed(withoutHeadings(text.trim()), { isPart: true })
}

/** Returns a note as a list item; further lines are indented. */
export function noteItem(text: string): string {
  const [first = '', ...rest] = noteBody(text).split('\n')
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/**
 * Finds the last place of a note in a section, as `addToSection` would add it.
 * @returns 1-based, inclusive lines; undefined if it is not there
 */
export function findInSection(
  text: string,
  title: string,
  note: string,
): { readonly startLine: number; readonly endLine: number } | undefined {
  const lines = text.split('\n')
  const section = findSection(lines, title)
  // In an open code block the parser does not see the heading that was added.
  const heading = lines.lastIndexOf(`## ${title}`)
  if (!section && heading < 0) return undefined
  const { from, to } = section ?? { from: heading + 1, to: lines.length }
  const noteLines = note.split('\n')
  for (let at = to - noteLines.length; at >= from; at -= 1)
    if (noteLines.every((line, index) => lines[at + index] === line))
      return { startLine: at + 1, endLine: at + noteLines.length }
  return undefined
}

/**
 * Adds lines to the end of a section. Creates the section at the end of the text if it does not exist.
 * @returns `startLine`: 1-based first line of the note; `heading`: the new heading, if one was created; `under`: the
 * title of the section
 */
export function addToSection(
  text: string,
  title: string,
  note: string,
): { readonly text: string; readonly startLine: number; readonly heading?: string; readonly under: string } {
  const lines = text === '' ? [] : text.replace(/\n*$/, '').split('\n')
  const section = findSection(lines, title)
  if (!section) {
    const gap = lines.length === 0 ? [] : ['']
    const fence = openFenceOf(lines)
    const before = [...lines, ...(fence === undefined ? [] : [fence]), ...gap, `## ${title}`, '']
    const heading = `## ${title}`
    return {
      text: `${[...before, note].join('\n')}\n`,
      startLine: before.length + 1,
      heading,
      under: headingTitle(title),
    }
  }
  let end = section.to
  while (end > section.from && (lines[end - 1] ?? '').trim() === '') end -= 1
  const rest = lines.slice(section.to)
  const before = [...lines.slice(0, end), ...(end === section.from ? [''] : [])]
  const after = rest.length === 0 ? [] : ['', ...rest]
  return { text: `${[...before, note, ...after].join('\n')}\n`, startLine: before.length + 1, under: section.title }
}
