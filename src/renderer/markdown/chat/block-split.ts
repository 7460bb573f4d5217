/**
 * Splits Markdown into blocks that render independently. While an answer streams, only the last block changes,
 * so each update costs the same for long and short answers. A block ends at an empty line outside fences,
 * formulas and lists. Runs in linear time.
 */
import { closesFence, closesMath, looseFenceAt, opensMath } from '#shared/markdown/blocks/line-starts.ts'
import { scanBlocks, type Block as ScannedBlock } from '#shared/markdown/blocks/scan-blocks.ts'

const definitionPattern = /^ {0,3}\[([^[\]\n]+)\]:\s+\S/
const footnotePattern = /^ {0,3}\[\^[^[\]\n]+\]:/m

/** Longer texts are split even if they have footnotes, which then render where they are defined. In characters. */
const maxFootnoteTextLength = 30_000

export interface Block {
  readonly text: string
  /** 1-based first line. */
  readonly line: number
}

export function splitBlocks(text: string): string[] {
  // Footnotes are listed at the end of a document, so it stays one block.
  if (text.length <= maxFootnoteTextLength && footnotePattern.test(text)) return [text]
  return blocksOf(text).map(({ text: block }) => block)
}

/** Returns the blocks with their first lines. A block contains whole lines. Each footnote is a separate block. */
export function blocksOf(text: string): Block[] {
  const lines = text.split('\n')
  const groups: { readonly from: number; to: number; kind: ScannedBlock['kind'] }[] = []
  const definitions = new Map<string, string>()
  for (const { kind, from, to, parent } of scanBlocks(lines, { hasMath: true, isPart: true })) {
    if (kind === 'paragraph')
      for (const line of lines.slice(from, to)) {
        const label = definitionPattern.exec(line)?.[1]
        if (label !== undefined && !label.startsWith('^') && !definitions.has(labelKey(label)))
          definitions.set(labelKey(label), line)
      }
    if (parent) continue
    const last = groups.at(-1)
    const isAdjacent = last?.to === from || (last?.kind === 'item' && kind === 'item')
    if (last && isAdjacent && last.kind !== 'footnote' && kind !== 'footnote') Object.assign(last, { to, kind })
    else groups.push({ from, to, kind })
  }
  return groups.map(({ from, to }) => {
    const block = lines.slice(from, to).join('\n')
    return { text: definitions.size === 0 ? block : appendDefinitions(block, definitions), line: from + 1 }
  })
}

/**
 * Returns a test for the line that closes the fence or formula opened by `line`, or undefined if `line` opens
 * none or closes it again.
 */
export function closingTest(line: string): ((line: string) => boolean) | undefined {
  return fenceClosingTest(line) ?? (opensMath(line.trimStart()) ? closesMath : undefined)
}

/** Returns a test for the line that closes the fence opened by `line`, or undefined if it opens none. */
export function fenceClosingTest(line: string): ((line: string) => boolean) | undefined {
  const marker = looseFenceAt(line)?.marker
  return marker === undefined ? undefined : (candidate) => closesFence(candidate.trimStart(), marker)
}

/** Returns true if a block has only link reference definitions, which render nothing. */
export function isAllDefinitions(block: string): boolean {
  return block.split('\n').every((line) => definitionPattern.test(line) && !footnotePattern.test(line))
}

function appendDefinitions(block: string, definitions: ReadonlyMap<string, string>): string {
  if (!block.includes('[') || isAllDefinitions(block)) return block
  const used = new Set<string>()
  for (const [, label = ''] of block.matchAll(/\[([^[\]]{1,999})\]/g)) {
    const line = definitions.get(labelKey(label))
    if (line !== undefined) used.add(line)
  }
  return used.size === 0 ? block : `${block}\n\n${[...used].join('\n')}`
}

/**
 * Removes the definitions at the end of a block.
 * @returns the block without them, and a function that appends those that a part of the block uses
 */
export function detachDefinitions(block: string): { text: string; append: (part: string) => string } {
  const end = block.lastIndexOf('\n\n')
  const lastParagraph = block.slice(end + 2)
  if (end < 0 || !isAllDefinitions(lastParagraph)) return { text: block, append: (part) => part }
  const definitions = new Map<string, string>()
  for (const line of lastParagraph.split('\n')) definitions.set(labelKey(definitionPattern.exec(line)?.[1] ?? ''), line)
  return { text: block.slice(0, end), append: (part) => appendDefinitions(part, definitions) }
}

/** Labels match regardless of case and spacing. */
function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}
