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

const orgBlock = /^([\t ]*)(?:[-*+] )?#\+BEGIN_(SRC|QUERY|EXAMPLE)(?:[\t ]+([\w#+-]+))?[^\n]*$/i

const orgQuote = /^([\t ]*)((?:[-*+] )?)#\+BEGIN_(NOTE|TIP|IMPORTANT|CAUTION|WARNING|PINNED|QUOTE)\b[^\n]*$/i

/**
 * Converts Org blocks, which Logseq supports: code and queries become fences, notes and quotes become
 * callouts and quotes.
 */
export function convertOrgBlocks(text: string): string {
  if (!/#\+BEGIN_/i.test(text)) return text
  let fenceEnd: RegExp | undefined
  let openQuote: { readonly indent: string; readonly end: RegExp } | undefined
  let isClosingLine: ((line: string) => boolean) | undefined
  return text
    .split('\n')
    .map((line) => {
      if (isClosingLine) {
        if (isClosingLine(line)) isClosingLine = undefined
        return line
      }
      if (fenceEnd?.test(line)) {
        fenceEnd = undefined
        return line.replace(/#\+END_\w+.*/i, '```')
      }
      if (openQuote) {
        const { indent, end } = openQuote
        if (!end.test(line)) return `${indent}> ${line.trimStart()}`
        openQuote = undefined
        return `${indent}>`
      }
      const [quoteStart, indent = '', bullet = '', callout = ''] = (!fenceEnd && orgQuote.exec(line)) || []
      if (quoteStart !== undefined) {
        const name = callout.toLowerCase()
        openQuote = { indent: indent + ' '.repeat(bullet.length), end: new RegExp(`^[\\t ]*#\\+END_${name}`, 'i') }
        const kind = name === 'pinned' ? 'note' : name
        return name === 'quote' ? `${indent}${bullet}> ` : `${indent}${bullet}> [!${kind}]`
      }
      const [, , kind = '', language] = orgBlock.exec(line) ?? []
      if (kind === '' || fenceEnd) {
        if (!fenceEnd) isClosingLine = closingTest(line)
        return line
      }
      fenceEnd = new RegExp(`^[\\t ]*#\\+END_${kind}`, 'i')
      return line.replace(/#\+BEGIN_.*/i, `\`\`\`${language ?? (/query/i.test(kind) ? 'query' : '')}`)
    })
    .join('\n')
}
