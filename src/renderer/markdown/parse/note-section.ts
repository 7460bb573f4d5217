import { lineOfFragment } from '#shared/markdown/links/fragment.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { frontMatterEnd } from '#shared/markdown/blocks/front-matter.ts'
import { blocksOfNote } from '#shared/markdown/blocks/scan-blocks.ts'

/**
 * Returns the part of a note that a link's fragment names.
 * @param fragment heading or `^block` without `#`; undefined for the whole note without its front matter
 * @returns undefined if the note has no such heading or block
 */
export function sectionOf(text: string, fragment: string | undefined): string | undefined {
  if (fragment === undefined || fragment.trim() === '') return text.slice(frontMatterEnd(text))
  const parsed = parseLinks(text)
  const line = lineOfFragment(fragment, parsed)
  if (line === undefined) return undefined
  const lines = text.split('\n')
  if (!fragment.startsWith('^')) {
    const heading = parsed.headings.find((candidate) => candidate.line === line)
    const next = parsed.headings.find(({ line: nextLine, level }) => nextLine > line && level <= (heading?.level ?? 6))
    return lines.slice(line - 1, next ? next.line - 1 : undefined).join('\n')
  }
  return blockAt(lines, line - 1).join('\n')
}

/**
 * Returns a list item with its children, or the lines of a block up to its id. The id may be on a line below
 * the block.
 */
function blockAt(lines: readonly string[], lineIndex: number): string[] {
  let end = lineIndex
  if (/^\s*\^[A-Za-z\d-]+\s*$/.test(lines[lineIndex] ?? '')) {
    end -= 1
    while (end > 0 && (lines[end] ?? '').trim() === '') end -= 1
  }
  const block = blocksOfNote(lines).findLast(({ from, to }) => from <= end && end < to)
  const item = block?.kind === 'item' ? block : block?.parent
  if (item?.kind !== 'item' || item.from !== (block?.from ?? end)) return lines.slice(block?.from ?? end, end + 1)
  const indent = /^\s*/.exec(lines[item.from] ?? '')?.[0].length ?? 0
  return lines.slice(item.from, item.to).map((line) => line.slice(Math.min(indent, line.length)))
}
