/**
 * Unindents lists that Logseq nests below a heading or paragraph without a bullet: `## Heading`, then a tab and
 * `- item`. Markdown would read such a list as code or as part of the paragraph. Keeps the number of lines and
 * runs in linear time.
 */
import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { closingTest } from '../chat/block-split.ts'

const unnestedItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const tabbedItem = /^(\t+)(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/

export function unindentNestedLists(text: string): string {
  if (!text.includes('\n\t')) return text
  /** Indentation of the current nested list; empty outside of one. */
  let indent = ''
  let isInList = false
  let isAfterBlank = true
  let isClosingLine: ((line: string) => boolean) | undefined
  const unindent = (line: string) => {
    if (line.trim() === '') {
      isAfterBlank = true
      return line
    }
    if (indent !== '' && !line.startsWith(indent)) indent = ''
    if (indent === '' && !isInList && !isAfterBlank) indent = tabbedItem.exec(line)?.[1] ?? ''
    const unindented = line.slice(indent.length)
    // Outside of a nested list, only an unindented line can end the current list.
    if (indent === '' && (headingAt(line.trimStart()) || (isAfterBlank && /^\S/.test(line)))) isInList = false
    if (indent === '' && unnestedItem.test(line)) isInList = true
    isAfterBlank = false
    isClosingLine = closingTest(unindented)
    return unindented
  }
  return text
    .split('\n')
    .map((line) => {
      if (!isClosingLine) return unindent(line)
      const unindented = indent !== '' && line.startsWith(indent) ? line.slice(indent.length) : line
      if (isClosingLine(unindented)) isClosingLine = undefined
      return unindented
    })
    .join('\n')
}
