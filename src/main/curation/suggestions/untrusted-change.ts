import type { LineEdit } from '#shared/contract/index.ts'
import { minimalEdit } from './line-edits.ts'
import { evidenceOf, type Finding } from './proposal.ts'

interface Change {
  readonly path: string
  /** Undefined for a missing file. */
  readonly before: string | undefined
  readonly after: string
  readonly from: readonly string[]
}

/** Builds the finding for a change that contains text from outside sources. */
export function untrustedFinding({ path, before, after, from: sources }: Change): Finding {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)]
  const { from, to, added } = minimalEdit({ line: 1, before: oldLines, after: newLines })
  // The last non-empty line before an insertion; if that line moves, the insertion moves with it.
  const anchor = oldLines.slice(0, from + 1).findLastIndex((line) => line.trim() !== '')
  const firstLine = from === to && anchor >= 0 && anchor < from ? anchor : from
  const edit: LineEdit = {
    line: firstLine + 1,
    before: oldLines.slice(firstLine, to),
    after: [...oldLines.slice(firstLine, from), ...added],
  }
  return {
    rule: 'outside',
    evidence: anchor < 0 ? [] : [evidenceOf(path, anchor + 1, oldLines[anchor] ?? '')],
    files: [{ path, edits: [edit] }],
    detail: { target: sources.join('; ') },
  }
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/\r?\n/)
}
