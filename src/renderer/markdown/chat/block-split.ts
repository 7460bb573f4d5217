/**
 * Splits Markdown into blocks that render independently. While an answer streams only the last block changes,
 * so each update costs the same for long and short answers. A block ends at an empty line outside fences,
 * formulas and lists. Runs in linear time.
 */
import { closesFence, closesMath, looseFenceAt, opensMath } from '#shared/markdown/blocks/line-starts.ts'
import { scanBlocks, type Block as ScannedBlock } from '#shared/markdown/blocks/scan-blocks.ts'

const definition = /^ {0,3}\[([^[\]\n]+)\]:\s+\S/
const footnote = /^ {0,3}\[\^[^[\]\n]+\]:/m

/** Longer texts are split even if they have footnotes, which then appear where they are defined. In characters. */
const maxWhole = 30_000

export interface Block {
  readonly text: string
  /** 1-based first line. */
  readonly line: number
}

export function splitBlocks(text: string): string[] {
  // Footnotes are listed at the end of a document, so it stays one block.
  if (text.length <= maxWhole && footnote.test(text)) return [text]
  return blocksOf(text).map(({ text: block }) => block)
}

/** Returns the blocks with their lines. Each footnote is a separate block. Lines inside a block stay complete. */
export function blocksOf(text: string): Block[] {
  const lines = text.split('\n')
  const groups: { readonly from: number; to: number; kind: ScannedBlock['kind'] }[] = []
  const definitions = new Map<string, string>()
  for (const { kind, from, to, parent } of scanBlocks(lines, { hasMath: true, isPart: true })) {
    if (kind === 'paragraph')
      for (const line of lines.slice(from, to)) {
        const label = definition.exec(line)?.[1]
        if (label !== undefined && !label.startsWith('^') && !definitions.has(labelKey(label)))
          definitions.set(labelKey(label), line)
      }
    if (parent) continue
    const last = groups.at(-1)
    const isBeside = last?.to === from || (last?.kind === 'item' && kind === 'item')
    if (last && isBeside && last.kind !== 'footnote' && kind !== 'footnote') Object.assign(last, { to, kind })
    else groups.push({ from, to, kind })
  }
  return groups.map(({ from, to }) => {
    const block = lines.slice(from, to).join('\n')
    return { text: definitions.size === 0 ? block : withDefinitions(block, definitions), line: from + 1 }
  })
}

/**
 * Returns a test for the line that closes the fence or formula opened by `line`, or undefined if it opens
 * none or closes its own.
 */
export function closingTest(line: string): ((line: string) => boolean) | undefined {
  return fenceClosingTest(line) ?? (opensMath(line.trimStart()) ? closesMath : undefined)
}

/** Returns a test for the line that closes the fence opened by `line`, or undefined if it opens none. */
export function fenceClosingTest(line: string): ((line: string) => boolean) | undefined {
  const marker = looseFenceAt(line)?.marker
  return marker === undefined ? undefined : (later) => closesFence(later.trimStart(), marker)
}

/** Returns true if a block has only link reference definitions, which render nothing. */
export function isAllDefinitions(block: string): boolean {
  return block.split('\n').every((line) => definition.test(line) && !footnote.test(line))
}

function withDefinitions(block: string, definitions: ReadonlyMap<string, string>): string {
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
 * @returns the block without them, and a function that appends the ones that a part uses
 */
export function detachDefinitions(block: string): { text: string; share: (part: string) => string } {
  const at = block.lastIndexOf('\n\n')
  const last = block.slice(at + 2)
  if (at < 0 || !isAllDefinitions(last)) return { text: block, share: (part) => part }
  const definitions = new Map<string, string>()
  for (const line of last.split('\n')) definitions.set(labelKey(definition.exec(line)?.[1] ?? ''), line)
  return { text: block.slice(0, at), share: (part) => withDefinitions(part, definitions) }
}

/** Labels match regardless of case and spacing. */
function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}
