import { scanBlocks, type Dialect } from './blocks/scan-blocks.ts'

export interface Section {
  readonly title: string
  /** 1 to 6. */
  readonly level: number
  /** 1-based lines, inclusive, including the heading. */
  readonly from: number
  readonly to: number
}

/** Returns sections by their headings; ignores headings in lists and quotes. */
export function sectionsOf(lines: readonly string[]): Section[] {
  const headings = scanBlocks(lines)
    .filter(({ parent }) => !parent)
    .filter((block) => block.kind === 'heading')
  // Backwards: a section ends before the next heading of the same or a higher level.
  const next = Array.from({ length: 7 }, () => lines.length + 1)
  const sections = headings.toReversed().map(({ title, level, from }) => {
    const to = Math.min(...next.slice(1, level + 1)) - 1
    next[level] = from + 1
    return { title, level, from: from + 1, to }
  })
  return sections.reverse()
}

/** Escapes the headings of a text, so that it can be inserted into a section without splitting it. */
export function withoutHeadings(text: string): string {
  const lines = text.split('\n')
  for (const { kind, parent, from, to } of scanBlocks(lines, { isPart: true })) {
    if (kind !== 'heading' || parent) continue
    const mark = to - from > 1 ? /[=-]/ : '#'
    lines[to - 1] = (lines[to - 1] ?? '').replace(mark, String.raw`\$&`)
  }
  return lines.join('\n')
}

/** Returns the end of open code, HTML or math, which would swallow appended lines; undefined if there is none. */
export function openBlockEnd(lines: readonly string[], dialect?: Dialect): string | undefined {
  const block = scanBlocks(lines, { ...dialect, hasMath: true }).at(-1)
  if (!block || block.parent || !('isClosed' in block) || block.isClosed) return undefined
  if (block.kind !== 'html') return block.kind === 'fence' ? block.marker : '$$'
  const [opening, element] = /^\s*<(?:([a-z]+)|!--|\?|!\[CDATA\[|!)/i.exec(lines[block.from] ?? '') ?? []
  return element === undefined ? htmlEnds[opening?.trim() ?? ''] : `</${element}>`
}

const htmlEnds: Readonly<Record<string, string>> = { '<!--': '-->', '<?': '?>', '<![CDATA[': ']]>', '<!': '>' }
