/**
 * Cuts Markdown into blocks that can be rendered each for itself: while an answer streams only the last one changes, so a
 * long answer costs no more for each piece than a short one. A block ends at an empty line that no fence, formula or list
 * reaches across. Pure.
 */

const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const definition = /^ {0,3}\[[^\]\n]+\]:\s+\S.*$/gm
const footnote = /\[\^[^\]\n]+\]/

export function splitBlocks(text: string): string[] {
  // Footnotes gather at the end of their document: there is no cutting it.
  if (footnote.test(text)) return [text]
  const blocks: string[] = []
  let block: string[] = []
  let closing: RegExp | undefined
  let isList = false
  let isBroken = false
  const end = () => {
    if (block.length > 0) blocks.push(block.join('\n'))
    block = []
    isList = false
  }
  for (const line of text.split('\n')) {
    if (closing) {
      block.push(line)
      if (closing.test(line)) closing = undefined
      continue
    }
    if (line.trim() === '') {
      isBroken = true
      continue
    }
    if (isBroken) {
      const goesOn = isList && (listItem.test(line) || /^\s{2,}\S/.test(line))
      if (goesOn) block.push('')
      else end()
      isBroken = false
    }
    if (block.length === 0) isList = listItem.test(line)
    block.push(line)
    closing = closingOf(line)
  }
  end()
  return withDefinitions(blocks, text)
}

/** What ends the fence or formula that a line opens; undefined when it opens none, or ends it itself. */
function closingOf(line: string): RegExp | undefined {
  const marker = fence.exec(line.replace(/^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?/, ''))?.[1]
  if (marker) return new RegExp(`^\\s*${marker[0] === '~' ? '~' : '`'}{${marker.length},}\\s*$`)
  return /^\s*\$\$(?!.*\$\$)/.test(line) ? /\$\$\s*$/ : undefined
}

/** A link's address can stand anywhere: every block gets all of them. */
function withDefinitions(blocks: string[], text: string): string[] {
  const definitions = text.includes(']:') ? [...new Set(text.match(definition))].join('\n') : ''
  return definitions === '' ? blocks : blocks.map((block) => `${block}\n\n${definitions}`)
}
