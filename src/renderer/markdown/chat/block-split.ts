/**
 * Cuts Markdown into blocks that can be rendered each for itself: while an answer streams only the last one changes, so a
 * long answer costs no more for each piece than a short one. A block ends at an empty line that no fence, formula or list
 * reaches across. Takes time in proportion to the text, whatever stands in it. Pure.
 */

const fence = /^ {0,3}(`{3,}|~{3,})/
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const definition = /^ {0,3}\[([^[\]\n]+)\]:\s+\S/
const footnote = /^ {0,3}\[\^[^[\]\n]+\]:/m

/** Longer texts are cut even where footnotes stand in them; those are then shown where they were written. */
const maxWhole = 30_000

export interface Block {
  readonly text: string
  /** Of its first line, 1-based. */
  readonly line: number
}

export function splitBlocks(text: string): string[] {
  // Footnotes gather at the end of their document: there is no cutting it.
  if (text.length <= maxWhole && footnote.test(text)) return [text]
  return blocksOf(text).map(({ text: block }) => block)
}

/** The same with their places; a footnote is a block of its own. No line of the text is left out within a block. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let block: string[] = []
  let first = 0
  let number = 0
  let closes: ((line: string) => boolean) | undefined
  let isList = false
  let isBroken = false
  const definitions = new Map<string, string>()
  const end = () => {
    if (block.length > 0) blocks.push({ text: block.join('\n'), line: first })
    block = []
    isList = false
  }
  const add = (line: string) => {
    if (block.length === 0) first = number
    block.push(line)
  }
  for (const line of text.split('\n')) {
    number += 1
    if (closes) {
      block.push(line)
      if (closes(line)) closes = undefined
      continue
    }
    if (line.trim() === '') {
      isBroken = true
      continue
    }
    if (isBroken) {
      const goesOn = isList && (listItem.test(line) || /^(?:\s{2,}|\t)\S/.test(line))
      if (goesOn) while (first + block.length < number) block.push('')
      else end()
      isBroken = false
    }
    const isFootnote = footnote.test(line)
    if (isFootnote) end()
    if (block.length === 0) isList = isFootnote || listItem.test(line)
    add(line)
    closes = closingOf(line) ?? rawClosingOf(line)
    const label = definition.exec(line)?.[1]
    if (label !== undefined && !isFootnote && !definitions.has(labelKey(label))) definitions.set(labelKey(label), line)
  }
  end()
  if (definitions.size === 0) return blocks
  return blocks.map((one) => ({ ...one, text: withDefinitions(one.text, definitions) }))
}

/** Tells the line that ends the fence or formula which a line opens; undefined when it opens none, or ends it itself. */
export function closingOf(line: string): ((line: string) => boolean) | undefined {
  return fenceClosingOf(line) ?? formulaClosingOf(line)
}

/** The same for fences alone: what is in them is no Markdown, whatever it looks like. */
export function fenceClosingOf(line: string): ((line: string) => boolean) | undefined {
  const start = line.replace(/^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?/, '')
  const marker = fence.exec(start)?.[1]
  // What stands behind backticks has none itself: else it is code within a line.
  if (!marker || (marker.startsWith('`') && start.trimStart().includes('`', marker.length))) return undefined
  return (later) => isFenceEnd(later, marker)
}

function formulaClosingOf(line: string): ((line: string) => boolean) | undefined {
  return /^\s*\$\$(?!.*\$\$)/.test(line) ? (later) => later.trimEnd().endsWith('$$') : undefined
}

/** HTML of which all is text, whatever empty lines stand in it. */
function rawClosingOf(line: string): ((line: string) => boolean) | undefined {
  const ends = /<\/(?:script|pre|style|textarea)>/i
  const opens = /^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i.test(line) && !ends.test(line)
  return opens ? (later) => ends.test(later) : undefined
}

/** As many signs as the opening has, or more, and nothing else. Counted: the opening can have 100,000. */
function isFenceEnd(line: string, marker: string): boolean {
  const signs = line.trim()
  if (signs.length < marker.length) return false
  for (const sign of signs) if (sign !== marker[0]) return false
  return true
}

/** Whether a block holds nothing but addresses of links, which are not shown. */
export function isAllDefinitions(block: string): boolean {
  return block.split('\n').every((line) => definition.test(line) && !footnote.test(line))
}

/** A link's address can stand anywhere: a block gets those that it refers to. */
function withDefinitions(block: string, definitions: ReadonlyMap<string, string>): string {
  if (!block.includes('[') || isAllDefinitions(block)) return block
  const used = new Set<string>()
  for (const [, label = ''] of block.matchAll(/\[([^[\]]{1,999})\]/g)) {
    const line = definitions.get(labelKey(label))
    if (line !== undefined) used.add(line)
  }
  return used.size === 0 ? block : `${block}\n\n${[...used].join('\n')}`
}

/** Each part of a block that is cut gets those that it refers to, and is cut without them. */
export function shareDefinitions(block: string): { text: string; share: (part: string) => string } {
  const at = block.lastIndexOf('\n\n')
  const last = block.slice(at + 2)
  if (at < 0 || !isAllDefinitions(last)) return { text: block, share: (part) => part }
  const definitions = new Map<string, string>()
  for (const line of last.split('\n')) definitions.set(labelKey(definition.exec(line)?.[1] ?? ''), line)
  return { text: block.slice(0, at), share: (part) => withDefinitions(part, definitions) }
}

/** Labels are the same whatever their case and spacing. */
function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}
