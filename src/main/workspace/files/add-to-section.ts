import { AppError } from '#shared/util/errors.ts'
import type { Dialect } from '#shared/markdown/blocks/scan-blocks.ts'
import { openFenceOf, sectionsOf, withoutHeadings, type Section } from '#shared/markdown/sections.ts'

/** A section as somebody names it: without the marks of a heading. @throws AppError `input_invalid` */
export function sectionTitle(said: string): string {
  const title = said.replace(/^[\s\uFEFF#]+/, '').trim()
  const reason =
    title === ''
      ? 'a section needs a name'
      : /[\p{Cc}\u2028\u2029]/u.test(title)
        ? 'a section has a name of one line'
        : ''
  if (reason !== '') throw new AppError('input_invalid', reason, { reason })
  return title
}

/** The section that is meant: by its very name, else where only the case differs. */
function sectionNamed(lines: readonly string[], title: string): Section | undefined {
  const sections = sectionsOf(lines)
  const name = headingTitle(title)
  const plain = name.toLowerCase()
  return (
    sections.find((known) => known.title === name) ??
    sections.find((known) => known.title.toLowerCase() === plain) ??
    // What is for a section that stays on this machine goes there, not into one beside it that is sent.
    sections.find((known) => withoutMarks(known.title).toLowerCase() === withoutMarks(plain))
  )
}

function withoutMarks(title: string): string {
  return title.replaceAll(/\^\[[^\]]*\]/g, '').trim()
}

/** As it is read from its heading again: `C#` → `C`. */
function headingTitle(title: string): string {
  return sectionsOf([`## ${title}`])[0]?.title ?? title
}

/** With an end for a block of code that has none: what comes after the text would be code as well. */
export function withFencesClosed(text: string, dialect?: Dialect): string {
  const fence = openFenceOf(text.split('\n'), dialect)
  if (fence === undefined) return text
  return text.endsWith('\n') ? `${text}${fence}\n` : `${text}\n${fence}`
}

/** The words of a note as they stand under a heading that is not theirs. */
export function noteBody(text: string): string {
  return withFencesClosed(withoutHeadings(text.trim()), { isPart: true })
}

/** A note as an item of a list; its further lines are indented under it. */
export function noteItem(text: string): string {
  const [first = '', ...rest] = noteBody(text).split('\n')
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** Where a note stands in a section as it would be added, the last time: 1-based, inclusive; undefined where it does not. */
export function findInSection(
  text: string,
  title: string,
  note: string,
): { readonly startLine: number; readonly endLine: number } | undefined {
  const lines = text.split('\n')
  const section = sectionNamed(lines, title)
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
 * `startLine` is the 1-based line at which they stand, `heading` the one that was made, `under` the title above them.
 */
export function addToSection(
  text: string,
  title: string,
  note: string,
): { readonly text: string; readonly startLine: number; readonly heading?: string; readonly under: string } {
  const lines = text === '' ? [] : text.replace(/\n*$/, '').split('\n')
  const section = sectionNamed(lines, title)
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
