/**
 * Splits a note into entries, the units that a privacy mark covers, from the blocks of `scanBlocks`. A heading covers
 * its section, a list item or footnote all its blocks, a top-level quote all of it, and a front matter key its value
 * lines. Any other top-level block is an entry of its own. Linear time.
 */
import { scanBlocks, type Block } from './blocks/scan-blocks.ts'

export interface Entries {
  readonly lines: readonly string[]
  /** By line, the block that is no container; undefined for list markers alone, and for blank lines between blocks. */
  readonly leaves: readonly (Block | undefined)[]
  /** Ends of the sections of top-level headings, exclusive. */
  readonly sectionEnds: ReadonlyMap<Block, number>
}

/** @param lines without line feeds; a trailing carriage return and a byte order mark are ignored */
export function entriesOf(lines: readonly string[]): Entries {
  const leaves = Array.from<Block | undefined>({ length: lines.length })
  const sectionEnds = new Map<Block, number>()
  const nextHeadings = Array.from<number>({ length: 7 }).fill(lines.length)
  for (const block of scanBlocks(lines, { hasNestedLists: true, hasMath: true }).reverse()) {
    if (block.kind === 'quote' || block.kind === 'item' || block.kind === 'footnote') continue
    leaves.fill(block, block.from, block.to)
    if (block.kind === 'frontMatter' && !lines[0]?.includes('+')) splitYaml(block, lines, leaves)
    if (block.kind !== 'heading' || block.parent) continue
    sectionEnds.set(block, nextHeadings[block.level] ?? lines.length)
    nextHeadings.fill(block.from, block.level)
  }
  return { lines, leaves, sectionEnds }
}

/** Returns the 0-based lines of a line's entry, end exclusive; only the line itself if no block contains it. */
export function entryAt({ leaves, sectionEnds }: Entries, index: number): Pick<Block, 'from' | 'to'> {
  const leaf = leaves[index]
  if (!leaf) return { from: index, to: index + 1 }
  const sectionEnd = sectionEnds.get(leaf)
  return sectionEnd === undefined ? ownerOf(leaf) : { from: leaf.from, to: sectionEnd }
}

/** Returns the lines that a mark on line `index` covers. A mark in a comment alone also covers the entry below it. */
export function coverOf(entries: Entries, index: number): Pick<Block, 'from' | 'to'> {
  const entry = entryAt(entries, index)
  const leaf = entries.leaves[index]
  if (leaf?.kind !== 'html' || leaf.parent || leaf.to - leaf.from > 1) return entry
  const isMarkOnly = /^<!--\s*\^\[\s*(?:local|private)\s*\]\s*-->$/i.test((entries.lines[index] ?? '').trim())
  return isMarkOnly ? { from: index, to: entryAt(entries, index + 1).to } : entry
}

/** Returns the innermost item or footnote around the outermost quote or the block; without one, that quote or block. */
export function ownerOf(block: Block): Block {
  let owner = block
  for (let container = block.parent; container; container = container.parent)
    if (container.kind === 'quote') owner = container
  while (owner.parent && owner.kind !== 'item' && owner.kind !== 'footnote') owner = owner.parent
  return owner
}

/** Splits YAML by its keys. A comment at the margin, and a line before the first key, stand for all of the YAML. */
function splitYaml(block: Block, lines: readonly string[], leaves: (Block | undefined)[]): void {
  let key: (Block & { to: number }) | undefined
  for (let index = block.from + 1; index < block.to - 1; index += 1) {
    const line = lines[index] ?? ''
    if (line.startsWith('#')) continue
    if (/^[^\s\]}-][^:]*:(?:\s|$)/.test(line)) key = { ...block, from: index, to: index }
    if (!key) continue
    key.to = index + 1
    leaves[index] = key
  }
}
