/** What a model wanted to write with words of others before it (M63), as a proposal that a person decides on. Pure. */
import type { LineEdit } from '../../shared/contract/index.ts'
import { evidenceOf, type Found } from './proposal.ts'

interface Change {
  readonly path: string
  /** Undefined where there is no such file. */
  readonly before: string | undefined
  readonly after: string
  /** Where those words come from, in words. */
  readonly from: readonly string[]
}

export function outsideFound({ path, before, after, from }: Change): Found {
  const [old, lines] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < lines.length && old[start] === lines[start]) start += 1
  let end = 0
  while (end < old.length - start && end < lines.length - start && old.at(-1 - end) === lines.at(-1 - end)) end += 1
  const edit: LineEdit = {
    line: start + 1,
    before: old.slice(start, old.length - end),
    after: lines.slice(start, lines.length - end),
  }
  // The line that it would stand by.
  const near = old.slice(0, start + 1).findLastIndex((line) => line.trim() !== '')
  return {
    rule: 'outside',
    evidence: near < 0 ? [] : [evidenceOf(path, near + 1, old[near] ?? '')],
    files: [{ path, edits: [edit] }],
    detail: { target: from.join('; ') },
  }
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(/\r?\n/)
}
