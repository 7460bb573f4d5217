import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import type { NoteVisibility } from '#shared/markdown/visibility.ts'
import { withLocalMarks, type LocalOf } from './keep-local.ts'
import { minimalEdit, overlaps, type TextLines } from './line-edits.ts'
import { updateProposal, type KnownText } from './proposal.ts'

export type LoadedNote = KnownText & { readonly lines: TextLines }

export interface AcceptancePlan {
  readonly accepted: readonly Proposal[]
  /** Skipped: they change the same lines as an accepted one, or depend on lines that it removes. */
  readonly skipped: readonly Proposal[]
  /** Outdated, already in state `withdrawn`. */
  readonly withdrawn: readonly Proposal[]
  /** Edits of the accepted proposals, by path. */
  readonly edits: ReadonlyMap<string, readonly LineEdit[]>
  /** `before` is null for a new file. */
  readonly files: readonly { readonly path: string; readonly before: string | null; readonly after: string }[]
}

/**
 * Plans which proposals can be accepted together.
 * @param files current files of all edits and evidence, by path; undefined for a missing file
 * @param localOf returns the local lines of a text; local text stays local after the change
 */
export function planAcceptance(
  proposals: readonly Proposal[],
  files: ReadonlyMap<string, LoadedNote | undefined>,
  now: number,
  localOf: LocalOf,
): AcceptancePlan {
  const edits = new Map<string, LineEdit[]>()
  const context = {
    textOf: (path: string) => files.get(path)?.text,
    localOf: cachedLocalOf(localOf, files),
    others: (path: string) => edits.get(path) ?? [],
  }
  const accepted: Proposal[] = []
  const skipped: Proposal[] = []
  const withdrawn: Proposal[] = []
  const removed = new Set<string>()
  const needed = new Set<string>()
  for (const proposal of proposals) {
    let current = proposal
    for (const [path, file] of files)
      if (current.state !== 'withdrawn') current = updateProposal(current, path, file, now)
    if (current.state === 'withdrawn') {
      withdrawn.push(current)
      continue
    }
    const markedFiles = withLocalMarks(current, context)
    if (!markedFiles) {
      skipped.push(proposal)
      continue
    }
    current = { ...current, files: markedFiles }
    const changedLines = changedLinesOf(current)
    const neededLines = current.evidence
      .map(({ path, line }) => `${path}:${line}`)
      .filter((place) => !changedLines.has(place))
    const hasConflict =
      current.files.some(({ path, edits: wanted }) =>
        wanted.some((edit) => edits.get(path)?.some((other) => overlaps(edit, other))),
      ) ||
      neededLines.some((place) => removed.has(place)) ||
      [...changedLines].some((place) => needed.has(place))
    // Only one proposal can create a file.
    const createsFileTwice = current.files.some(({ path, hash }) => hash === null && edits.has(path))
    if (hasConflict || createsFileTwice) {
      skipped.push(proposal)
      continue
    }
    accepted.push(current)
    for (const place of changedLines) removed.add(place)
    for (const place of neededLines) needed.add(place)
    for (const { path, edits: wanted } of current.files) edits.set(path, [...(edits.get(path) ?? []), ...wanted])
  }
  const changedFiles = [...edits].map(([path, all]) => {
    const file = files.get(path)
    const newText = all.flatMap(({ after }) => after).join('\n')
    return file ? { path, before: file.text, after: file.lines.apply(all) } : { path, before: null, after: newText }
  })
  return {
    accepted,
    skipped,
    withdrawn,
    edits,
    files: changedFiles.filter(({ before, after }) => before !== after),
  }
}

function cachedLocalOf(localOf: LocalOf, files: ReadonlyMap<string, LoadedNote | undefined>): LocalOf {
  const known = new Map<string, NoteVisibility>()
  return (path, text) => {
    if (files.get(path)?.text !== text) return localOf(path, text)
    const one = known.get(path) ?? localOf(path, text)
    known.set(path, one)
    return one
  }
}

function changedLinesOf({ files }: Proposal): Set<string> {
  const lines = new Set<string>()
  for (const { path, edits } of files)
    for (const edit of edits) {
      const { from, to } = minimalEdit(edit)
      for (let at = from; at < to; at += 1) lines.add(`${path}:${at + 1}`)
    }
  return lines
}
