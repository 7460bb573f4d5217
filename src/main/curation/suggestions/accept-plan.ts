import type { LineEdit, Proposal } from '#shared/contract/index.ts'
import type { NoteVisibility } from '#shared/markdown/visibility.ts'
import { withPrivateMarks, type PrivacyOf } from './keep-private.ts'
import { minimalEdit, overlaps } from './line-edits.ts'
import { updateProposal, type LoadedNote } from './proposal.ts'

/**
 * Plans which proposals can be accepted together.
 * @param files current files of all edits and evidence, by path; undefined for a missing file
 * @param privacyOf returns the private lines of a text; they stay private after the change
 * @returns `skipped`: proposals that change the same lines as an accepted one, or depend on lines that it changes;
 * `withdrawn`: outdated ones, whose state is already `withdrawn`; `edits` of the accepted ones, by path; `files`, whose
 * `before` is null for a new one
 */
export function planAcceptance(
  proposals: readonly Proposal[],
  files: ReadonlyMap<string, LoadedNote | undefined>,
  now: number,
  privacyOf: PrivacyOf,
) {
  const edits = new Map<string, LineEdit[]>()
  const context = {
    textOf: (path: string) => files.get(path)?.text,
    privacyOf: cachedPrivacyOf(privacyOf, files),
    acceptedEdits: (path: string) => edits.get(path) ?? [],
  }
  const [accepted, skipped, withdrawn]: [Proposal[], Proposal[], Proposal[]] = [[], [], []]
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
  return { accepted, skipped, withdrawn, edits, files: changedFiles.filter(({ before, after }) => before !== after) }
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
  const edits = files.flatMap(({ path, edits }) => edits.map((edit) => ({ path, ...minimalEdit(edit) })))
  return new Set(
    edits.flatMap(({ path, from, to }) => Array.from({ length: to - from }, (_, at) => `${path}:${from + at + 1}`)),
  )
}
