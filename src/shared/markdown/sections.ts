import { scanBlocks, type Dialect } from './blocks/scan-blocks.ts'

export interface Section {
  readonly title: string
  /** 1 to 6. */
  readonly level: number
  /** 1-based lines, inclusive, from the heading on. */
  readonly from: number
  readonly to: number
}

/** Sections by the headings that stand in no list or quotation. */
export function sectionsOf(lines: readonly string[]): Section[] {
  const headings = scanBlocks(lines)
    .filter(({ parent }) => !parent)
    .filter((block) => block.kind === 'heading')
  // From the end: a section goes on to the next heading that is not below it.
  const next = Array.from({ length: 7 }, () => lines.length + 1)
  const sections = headings.toReversed().map(({ title, level, from }) => {
    const to = Math.min(...next.slice(1, level + 1)) - 1
    next[level] = from + 1
    return { title, level, from: from + 1, to }
  })
  return sections.reverse()
}

/** A note with its headings as plain lines: in a section of another text it begins and ends none. */
export function withoutHeadings(text: string): string {
  const lines = text.split('\n')
  for (const { kind, parent, from, to } of scanBlocks(lines, { isPart: true })) {
    if (kind !== 'heading' || parent) continue
    const mark = to - from > 1 ? /[=-]/ : '#'
    lines[to - 1] = (lines[to - 1] ?? '').replace(mark, String.raw`\$&`)
  }
  return lines.join('\n')
}

/** The marker of fenced code that lines added at the end would belong to. */
export function openFenceOf(lines: readonly string[], dialect?: Dialect): string | undefined {
  const last = scanBlocks(lines, dialect).at(-1)
  return last?.kind === 'fence' && !last.isClosed && !last.parent ? last.marker : undefined
}
