/**
 * Cuts Markdown into blocks that can be rendered each for itself: while an answer streams only the last one changes, so a
 * long answer costs no more for each piece than a short one. A block ends at an empty line that no fence, formula or list
 * reaches across. Takes time in proportion to the text, whatever stands in it. Pure.
 */
import { closesFence, closesMath, looseFenceAt, opensMath } from '#shared/markdown/blocks/line-starts.ts'
import { scanBlocks, type Block as ScannedBlock } from '#shared/markdown/blocks/scan-blocks.ts'

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

/** Tells the line that ends the fence or formula which a line opens; undefined when it opens none, or ends it itself. */
export function closingOf(line: string): ((line: string) => boolean) | undefined {
  return fenceClosingOf(line) ?? (opensMath(line.trimStart()) ? closesMath : undefined)
}

/** The same for fences alone: what is in them is no Markdown, whatever it looks like. */
export function fenceClosingOf(line: string): ((line: string) => boolean) | undefined {
  const marker = looseFenceAt(line)?.marker
  return marker === undefined ? undefined : (later) => closesFence(later.trimStart(), marker)
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
