/** Converts syntax of Logseq to Markdown. Keeps the number of lines and runs in linear time. */
import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { closingTest } from './split-blocks.ts'

const unnestedItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const tabbedItem = /^(\t+)(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/

/**
 * Unindents lists that Logseq nests below a heading or paragraph without a bullet: `## Heading`, then a tab and
 * `- item`. Markdown would read such a list as code or as part of the paragraph.
 */
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

/** Org blocks that are code; the others are quotes and notes. */
const orgCode = /^(?:src|query|example)$/
const orgStart =
  /^([\t ]*)((?:[-*+] )?)#\+BEGIN_(SRC|QUERY|EXAMPLE|NOTE|TIP|IMPORTANT|CAUTION|WARNING|PINNED|QUOTE)\b(?:[\t ]+([\w#+-]+))?/i

/**
 * Converts Org blocks, which Logseq supports: code and queries become fences, notes and quotes become
 * callouts and quotes.
 */
export function convertOrgBlocks(text: string): string {
  if (!/#\+BEGIN_/i.test(text)) return text
  let openBlock: { readonly end: RegExp; readonly isCode: boolean; readonly indent: string } | undefined
  let isClosingLine: ((line: string) => boolean) | undefined
  const convertLine = (line: string) => {
    if (isClosingLine) {
      if (isClosingLine(line)) isClosingLine = undefined
      return line
    }
    if (openBlock) {
      const { end, isCode, indent } = openBlock
      const isEnd = end.test(line)
      if (isEnd) openBlock = undefined
      if (isCode) return isEnd ? line.replace(/#\+END_\w+.*/i, '```') : line
      return isEnd ? `${indent}>` : `${indent}> ${line.trimStart()}`
    }
    const [start, indent = '', bullet = '', kind = '', language] = orgStart.exec(line) ?? []
    if (start === undefined) {
      isClosingLine = closingTest(line)
      return line
    }
    const name = kind.toLowerCase()
    const isCode = orgCode.test(name)
    const end = new RegExp(`^[\\t ]*#\\+END_${name}`, 'i')
    openBlock = { end, isCode, indent: indent + ' '.repeat(bullet.length) }
    if (isCode) return `${indent}${bullet}\`\`\`${language ?? (name === 'query' ? name : '')}`
    if (name === 'quote') return `${indent}${bullet}> `
    return `${indent}${bullet}> [!${name === 'pinned' ? 'note' : name}]`
  }
  return text.split('\n').map(convertLine).join('\n')
}
