/**
 * Unindents lists that Logseq nests below a heading or paragraph without a bullet: `## Heading`, then `<tab>-
 * item`. Markdown would read such a list as code or as more of the paragraph. Keeps the number of lines and
 * runs in linear time.
 */
import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { closingTest } from '../chat/block-split.ts'

const ownItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const inItem = /^(\t+)(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/

export function unindentNestedLists(text: string): string {
  if (!text.includes('\n\t')) return text
  /** Indentation of the current nested list; empty outside of one. */
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
    // Outside of a nested list, only an unindented line can end the current list.
    if (indent === '' && (headingAt(line.trimStart()) || (isAfterBlank && /^\S/.test(line)))) isInList = false
    if (indent === '' && ownItem.test(line)) isInList = true
    isAfterBlank = false
    closes = closingTest(rest)
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
