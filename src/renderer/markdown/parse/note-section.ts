/** The part of a note that a link names: a section to its next heading, or the block that has an id. Pure. */
import { lineOfFragment } from '#shared/markdown/links/fragment.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { frontMatterEnd } from '#shared/markdown/links/hidden-text.ts'

/** @param fragment without `#`; undefined for all of the note but its front matter @returns undefined for nothing of that name */
export function sectionOf(text: string, fragment: string | undefined): string | undefined {
  if (fragment === undefined || fragment.trim() === '') return text.slice(frontMatterEnd(text))
  const landmarks = parseLinks(text)
  const line = lineOfFragment(fragment, landmarks)
  if (line === undefined) return undefined
  const lines = text.split('\n')
  if (!fragment.startsWith('^')) {
    const heading = landmarks.headings.find((one) => one.line === line)
    const next = landmarks.headings.find((one) => one.line > line && one.level <= (heading?.level ?? 6))
    return lines.slice(line - 1, next ? next.line - 1 : undefined).join('\n')
  }
  const first = text.slice(0, frontMatterEnd(text)).split('\n').length - 1
  return blockAt(lines, line - 1, first).join('\n')
}

const heading = /^ {0,3}#{1,6}\s/
const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s/

/** A list item with what is below it, or the lines to the next empty one; an id in a line of its own names what is above. */
function blockAt(lines: readonly string[], at: number, first: number): string[] {
  let end = at
  if (/^\s*\^[A-Za-z\d-]+\s*$/.test(lines[at] ?? '')) {
    end -= 1
    while (end > 0 && (lines[end] ?? '').trim() === '') end -= 1
  }
  const indent = item.exec(lines[end] ?? '')?.[1]?.length
  if (indent !== undefined) {
    let last = end + 1
    while (last < lines.length && (/^(\s*)\S/.exec(lines[last] ?? '')?.[1]?.length ?? -1) > indent) last += 1
    return lines.slice(end, last).map((line) => line.slice(Math.min(indent, line.length)))
  }
  let start = end
  if (heading.test(lines[end] ?? '')) return lines.slice(end, end + 1)
  const ends = (line = '') => line.trim() === '' || item.test(line) || heading.test(line)
  while (start > first && !ends(lines[start - 1])) start -= 1
  return lines.slice(start, end + 1)
}
