import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import type { NoteVisibility } from '#shared/markdown/visibility.ts'
import { withLocalMarks, type LocalOf } from './keep-local.ts'
import { minimalEdit, overlaps, type TextLines } from './line-edits.ts'
import { updateProposal, type KnownText } from './proposal.ts'

export type ReadFile = KnownText & { readonly lines: TextLines }

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
  files: ReadonlyMap<string, ReadFile | undefined>,
  now: number,
  localOf: LocalOf,
): AcceptancePlan {
  const edits = new Map<string, LineEdit[]>()
  const around = {
    textOf: (path: string) => files.get(path)?.text,
    localOf: remembered(localOf, files),
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
    const kept = withLocalMarks(current, around)
    if (!kept) {
      skipped.push(proposal)
      continue
    }
    current = { ...current, files: kept }
    const own = ownLines(current)
    const rests = current.evidence.map(({ path, line }) => `${path}:${line}`).filter((place) => !own.has(place))
    const clashes =
      current.files.some(({ path, edits: wanted }) =>
        wanted.some((edit) => edits.get(path)?.some((other) => overlaps(edit, other))),
      ) ||
      rests.some((place) => removed.has(place)) ||
      [...own].some((place) => needed.has(place))
    // Only one proposal can create a file.
    const makesTwice = current.files.some(({ path, hash }) => hash === null && edits.has(path))
    if (clashes || makesTwice) {
      skipped.push(proposal)
      continue
    }
    accepted.push(current)
    for (const place of own) removed.add(place)
    for (const place of rests) needed.add(place)
    for (const { path, edits: wanted } of current.files) edits.set(path, [...(edits.get(path) ?? []), ...wanted])
  }
  const written = [...edits].map(([path, all]) => {
    const file = files.get(path)
    const made = all.flatMap(({ after }) => after).join('\n')
    return file ? { path, before: file.text, after: file.lines.apply(all) } : { path, before: null, after: made }
  })
  return {
    accepted,
    skipped,
    withdrawn,
    edits,
    files: written.filter(({ before, after }) => before !== after),
  }
}

function remembered(localOf: LocalOf, files: ReadonlyMap<string, ReadFile | undefined>): LocalOf {
  const known = new Map<string, NoteVisibility>()
  return (path, text) => {
    if (files.get(path)?.text !== text) return localOf(path, text)
    const one = known.get(path) ?? localOf(path, text)
    known.set(path, one)
    return one
  }
}

function ownLines({ files }: Proposal): Set<string> {
  const lines = new Set<string>()
  for (const { path, edits } of files)
    for (const edit of edits) {
      const { from, to } = minimalEdit(edit)
      for (let at = from; at < to; at += 1) lines.add(`${path}:${at + 1}`)
    }
  return lines
}
