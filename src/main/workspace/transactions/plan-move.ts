import { hash } from 'node:crypto'
import type { MovePlan, TagPlan } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import {
  applyEdits,
  movedPath,
  planRewrites,
  type Move,
  type RewrittenFile,
} from '#shared/markdown/links/rewrite-links.ts'
import { escapeEdits, rewriteCanvas } from '#shared/markdown/links/canvas.ts'
import { isTagName, isUnderTag, renameTag, type TagRename } from '#shared/markdown/properties/property-test.ts'
import { parseProperties, rewriteLimits, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import type { NoteProperties } from '#shared/markdown/properties/front-matter.ts'
import { describeChange } from '#platform'
import { findTagLines, type IndexedNote, type LinkIndex } from '../links/link-index.ts'
import type { FileTransition } from '../changes/change-log.ts'

const maxRows = 40
const maxAttempts = 5

type SkippedPlace = MovePlan['left'][number]

interface PlannedEdits {
  readonly files: readonly RewrittenFile[]
  readonly left: SkippedPlace[]
}

/** Plans a move (workspace-relative) and the links to update. @param forbidden absolute paths that are not read */
export async function planMove(index: LinkIndex, move: Move, forbidden: readonly string[]) {
  const { rewrites, count, ...shared } = await createPlan(index, forbidden, move, async () => planEdits(index, move))
  const moves = [...index.files.keys()].filter((path) => movedPath(path, [move]) !== path).length
  const plan: MovePlan = { ...shared, links: count, moves }
  return { plan, rewrites }
}

function planEdits(index: LinkIndex, move: Move): PlannedEdits {
  const { files, unfixable } = planRewrites([...index.files.values()], [move])
  const editsByPath = new Map(files.map(({ path, edits }) => [path, edits]))
  const newPathOf = (path: string) => (index.files.has(path) ? movedPath(path, [move]) : undefined)
  const canvases = index.canvases.flatMap(({ path, files: embeddedFiles }) => {
    const edits = [...rewriteCanvas(embeddedFiles, newPathOf), ...escapeEdits(editsByPath.get(path) ?? [])]
    return edits.length === 0 ? [] : [{ path, newPath: movedPath(path, [move]), edits }]
  })
  const left = unfixable.map((place) => (index.undecodable.has(place.path) ? { ...place, isUnread: true } : place))
  for (const { path, links } of index.undecodable.values()) {
    const starts = new Set(editsByPath.get(path)?.map(({ from }) => from))
    const affected = links?.filter(({ from, targetFrom }) => starts.has(targetFrom) || starts.has(from))
    // Several encodings can find the same link.
    const places = affected ? new Map(affected.map((link) => [link.line, link])).values() : [{ line: 1, target: '' }]
    for (const { line, target } of places) left.push({ path, line, target, isUnread: true })
  }
  return { files: [...files.filter(({ path }) => index.notes.has(path)), ...canvases], left }
}

/** Plans to rename a tag in all notes. Changes nothing. @throws AppError `tag_invalid` if `to` is not a tag name */
export async function planTagRename(index: LinkIndex, rename: TagRename, forbidden: readonly string[]) {
  const { from, to } = rename
  if (!isTagName(to)) {
    const message = `#${to} is not a valid tag: use letters, digits, - and _, with / between levels`
    throw new AppError('tag_invalid', message, { tag: to })
  }
  const { rewrites, count, left, ...shared } = await createPlan(index, forbidden, rename, () =>
    planTagEdits(index, rename),
  )
  for (const { path, after } of rewrites) {
    const parsedAfter = parseProperties(after, rewriteLimits)
    const keepsOldTag = parsedAfter.tags.some(
      ({ name }) => isUnderTag(name, tagKey(from)) && !isUnderTag(to, tagKey(from)),
    )
    if (keepsOldTag && !left.some((place) => place.path === path)) left.push({ path, line: 1, target: from })
  }
  const joins =
    tagKey(to) !== tagKey(from) &&
    [...index.notes.values()].some(({ tags }) =>
      tags.some(({ name }) => isUnderTag(name, tagKey(to)) && !isUnderTag(name, tagKey(from))),
    )
  const plan: TagPlan = { ...shared, left, tags: count, joins }
  return { plan, rewrites }
}

async function planTagEdits(index: LinkIndex, rename: TagRename): Promise<PlannedEdits> {
  const files: RewrittenFile[] = []
  const left: SkippedPlace[] = []
  for (const note of index.notes.values()) {
    const { path } = note
    const { edits, left: lines } = renameTag(await allTagsOf(index, note, rename.from), rename)
    if (edits.length > 0) files.push({ path, newPath: path, edits })
    left.push(...lines.slice(0, maxRows).map((line) => ({ path, line, target: rename.from })))
  }
  for (const path of index.undecodable.keys()) {
    const bytes = await index.bytes(path)
    if (bytes === undefined) continue
    // A note that cannot be opened may contain the tag.
    const lines = bytes === null ? [1] : findTagLines(bytes, rename)
    left.push(...lines.slice(0, maxRows).map((line) => ({ path, line, target: rename.from, isUnread: true })))
  }
  return { files, left }
}

/** Returns all tags of a note. Reads the file if the index contains only a part of them. */
async function allTagsOf(index: LinkIndex, note: IndexedNote, from: string): Promise<Pick<NoteProperties, 'tags'>> {
  const current = note.isPartial ? await index.text(note.path) : undefined
  // `createPlan` checks again a note that has changed since.
  if (current?.hash !== note.hash) return note
  const { tags, isPartial } = parseProperties(current.text, rewriteLimits)
  return { tags: isPartial ? [{ name: from, line: 1, place: null }, ...tags] : tags }
}

/** The id of the plan is a hash of the request and the texts. @throws AppError `plan_outdated` */
async function createPlan(
  index: LinkIndex,
  forbidden: readonly string[],
  request: unknown,
  edit: () => Promise<PlannedEdits>,
) {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await index.refresh(forbidden)
    const { files: edited, left } = await edit()
    const rewrites = await rewriteNotes(index, edited, left)
    if (!rewrites) {
      index.invalidate(edited.map(({ path }) => path))
      continue
    }
    const files = rewrites.slice(0, maxRows).map(({ newPath: path, before, after, count }) => {
      return { path, count, patch: describeChange(path, before, after, 100_000).patch }
    })
    return {
      count: rewrites.reduce((sum, { count }) => sum + count, 0),
      notes: rewrites.length,
      files,
      left: interleaveNotes(left),
      id: hash('sha256', JSON.stringify([request, rewrites])),
      rewrites,
    }
  }
  throw outdatedError()
}

/** Adds the edits of write-protected notes to `left`. Undefined if a note has changed since it was indexed. */
async function rewriteNotes(index: LinkIndex, files: readonly RewrittenFile[], left: SkippedPlace[]) {
  const rewrites: (FileTransition & { newPath: string; before: string; after: string; count: number })[] = []
  for (const { path, newPath, edits } of files) {
    const current = await index.text(path)
    if (!current || current.hash !== index.files.get(path)?.hash) return undefined
    const { text: before } = current
    const lineAt = (offset: number) => before.slice(0, offset).split('\n').length
    if (await index.isWriteProtected(path))
      for (const { from, to } of edits.slice(0, maxRows))
        left.push({ path, line: lineAt(from), target: before.slice(from, to), isProtected: true })
    else rewrites.push({ path, newPath, before, after: applyEdits(before, edits), count: edits.length })
  }
  return rewrites
}

/** Returns at most `maxRows` places, alternating between notes: a note with many rows must not hide the others. */
function interleaveNotes(places: readonly SkippedPlace[]): SkippedPlace[] {
  const byNote = [...Map.groupBy(places, ({ path }) => path).values()]
  const ranks = Array.from({ length: maxRows }, (_, rank) => byNote.flatMap((rows) => rows.slice(rank, rank + 1)))
  return ranks.flat().slice(0, maxRows)
}

export function outdatedError(): AppError {
  return new AppError('plan_outdated', 'notes have changed since; review the planned updates again', {})
}
