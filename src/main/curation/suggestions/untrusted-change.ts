import type { LineEdit } from '#shared/contract/index.ts'
import { evidenceOf, type Finding } from './proposal.ts'

interface Change {
  readonly path: string
  /** Undefined for a missing file. */
  readonly before: string | undefined
  readonly after: string
  /** Display names of the sources. */
  readonly from: readonly string[]
}

/** Builds the finding for a change that contains text from outside sources. */
export function untrustedFinding({ path, before, after, from }: Change): Finding {
  const [old, lines] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < lines.length && old[start] === lines[start]) start += 1
  let end = 0
  while (end < old.length - start && end < lines.length - start && old.at(-1 - end) === lines.at(-1 - end)) end += 1
  // Last non-empty line before an insertion: the insertion follows it if it moves.
  const anchor = old.slice(0, start + 1).findLastIndex((line) => line.trim() !== '')
  const isInsertion = start === old.length - end
  const first = isInsertion && anchor >= 0 && anchor < start ? anchor : start
  const edit: LineEdit = {
    line: first + 1,
    before: old.slice(first, old.length - end),
    after: lines.slice(first, lines.length - end),
  }
  return {
    rule: 'outside',
    evidence: anchor < 0 ? [] : [evidenceOf(path, anchor + 1, old[anchor] ?? '')],
    files: [{ path, edits: [edit] }],
    detail: { target: from.join('; ') },
  }
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/\r?\n/)
}
