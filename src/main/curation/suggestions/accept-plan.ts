import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import type { NoteVisibility } from '#shared/markdown/visibility.ts'
import { withPrivateMarks, type PrivacyOf } from './keep-private.ts'
import { minimalEdit, overlaps, type TextLines } from './line-edits.ts'
import { updateProposal, type HashedText } from './proposal.ts'

export type LoadedNote = HashedText & { readonly lines: TextLines }

export interface AcceptancePlan {
  readonly accepted: readonly Proposal[]
  /** They change the same lines as an accepted one, or depend on lines that it changes. */
  readonly skipped: readonly Proposal[]
  /** Outdated; their state is already `withdrawn`. */
  readonly withdrawn: readonly Proposal[]
  /** Edits of the accepted proposals, by path. */
  readonly edits: ReadonlyMap<string, readonly LineEdit[]>
  /** `before` is null for a new file. */
  readonly files: readonly { readonly path: string; readonly before: string | null; readonly after: string }[]
}

/**
 * Plans which proposals can be accepted together.
 * @param files current files of all edits and evidence, by path; undefined for a missing file
 * @param privacyOf returns the private lines of a text; they stay private after the change
 */
export function planAcceptance(
  proposals: readonly Proposal[],
  files: ReadonlyMap<string, LoadedNote | undefined>,
  now: number,
  privacyOf: PrivacyOf,
): AcceptancePlan {
  const edits = new Map<string, LineEdit[]>()
  const context = {
    textOf: (path: string) => files.get(path)?.text,
    privacyOf: cachedPrivacyOf(privacyOf, files),
    acceptedEdits: (path: string) => edits.get(path) ?? [],
  }
  const accepted: Proposal[] = []
  const skipped: Proposal[] = []
  const withdrawn: Proposal[] = []
  const acceptedChanges = new Set<string>()
  const acceptedNeeds = new Set<string>()
  for (const proposal of proposals) {
    let current = proposal
    for (const [path, file] of files)
      if (current.state !== 'withdrawn') current = updateProposal(current, path, file, now)
    if (current.state === 'withdrawn') {
      withdrawn.push(current)
      continue
    }
    const markedFiles = withPrivateMarks(current, context)
    if (!markedFiles) {
      skipped.push(proposal)
      continue
    }
    current = { ...current, files: markedFiles }
    const changedPlaces = changedPlacesOf(current)
    const neededPlaces = current.evidence
      .map(({ path, line }) => `${path}:${line}`)
      .filter((place) => !changedPlaces.has(place))
    const hasConflict =
      current.files.some(({ path, edits: fileEdits }) =>
        fileEdits.some((edit) => edits.get(path)?.some((other) => overlaps(edit, other))),
      ) ||
      neededPlaces.some((place) => acceptedChanges.has(place)) ||
      [...changedPlaces].some((place) => acceptedNeeds.has(place))
    // Only one proposal can create a file.
    const createsFileTwice = current.files.some(({ path, hash }) => hash === null && edits.has(path))
    if (hasConflict || createsFileTwice) {
      skipped.push(proposal)
      continue
    }
    accepted.push(current)
    for (const place of changedPlaces) acceptedChanges.add(place)
    for (const place of neededPlaces) acceptedNeeds.add(place)
    for (const { path, edits: fileEdits } of current.files) edits.set(path, [...(edits.get(path) ?? []), ...fileEdits])
  }
  const changedFiles = [...edits].map(([path, merged]) => {
    const file = files.get(path)
    const newText = merged.flatMap(({ after }) => after).join('\n')
    return file ? { path, before: file.text, after: file.lines.apply(merged) } : { path, before: null, after: newText }
  })
  return {
    accepted,
    skipped,
    withdrawn,
    edits,
    files: changedFiles.filter(({ before, after }) => before !== after),
  }
}

function cachedPrivacyOf(privacyOf: PrivacyOf, files: ReadonlyMap<string, LoadedNote | undefined>): PrivacyOf {
  const cache = new Map<string, NoteVisibility>()
  return (path, text) => {
    if (files.get(path)?.text !== text) return privacyOf(path, text)
    const visibility = cache.get(path) ?? privacyOf(path, text)
    cache.set(path, visibility)
    return visibility
  }
}

function changedPlacesOf({ files }: Proposal): Set<string> {
  const places = new Set<string>()
  for (const { path, edits } of files)
    for (const edit of edits) {
      const { from, to } = minimalEdit(edit)
      for (let index = from; index < to; index += 1) places.add(`${path}:${index + 1}`)
    }
  return places
}
