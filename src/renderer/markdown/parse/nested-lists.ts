/**
 * Lists that are further in than what they belong to: Logseq writes what stands below a heading or paragraph without a
 * bullet so, `## Heading` and `<tab>- item` in the next line, which Markdown takes for code, or for more of the paragraph.
 * Every line stays a line. Takes time in proportion to the text. Pure.
 */
import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { closingOf } from '../chat/block-split.ts'

const ownItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const inItem = /^(\t+)(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/

export function withNestedLists(text: string): string {
  if (!text.includes('\n\t')) return text
  /** What such a list has before its lines; empty outside of one. */
  let indent = ''
  let isInList = false
  let isAfterBlank = true
  let closes: ((line: string) => boolean) | undefined
  const shown = (line: string) => {
    if (line.trim() === '') {
      isAfterBlank = true
      return line
    }
    if (indent !== '' && !line.startsWith(indent)) indent = ''
    if (indent === '' && !isInList && !isAfterBlank) indent = inItem.exec(line)?.[1] ?? ''
    const rest = line.slice(indent.length)
    // Outside of a list, only what stands at the margin says whether one goes on.
    if (indent === '' && (headingAt(line.trimStart()) || (isAfterBlank && /^\S/.test(line)))) isInList = false
    if (indent === '' && ownItem.test(line)) isInList = true
    isAfterBlank = false
    closes = closingOf(rest)
    return rest
  }
  return text
    .split('\n')
    .map((line) => {
      if (!closes) return shown(line)
      const rest = indent !== '' && line.startsWith(indent) ? line.slice(indent.length) : line
      if (closes(rest)) closes = undefined
      return rest
    })
    .join('\n')
}
