import { createHash } from 'node:crypto'
import type { MovePlan, TagPlan } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import {
  applyEdits,
  movedPath,
  planRewrites,
  type UnfixableLink,
  type Move,
  type RewrittenFile,
} from '#shared/markdown/links/rewrite-links.ts'
import { escapeEdits, rewriteCanvas } from '#shared/markdown/links/canvas.ts'
import { isTagName, isUnderTag } from '#shared/markdown/properties/property-test.ts'
import { parseProperties, rewriteLimits, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { renameTag, type TagRename } from '#shared/markdown/properties/rename-tag.ts'
import type { NoteProperties } from '#shared/markdown/properties/property.ts'
import { inBatches, describeChange } from '#platform'
import type { IndexedNote, LinkIndex } from '../links/link-index.ts'
import { findTagLines } from '../links/undecodable-notes.ts'
import type { TextWrite } from './settle-text.ts'

const concurrency = 64
const maxRows = 40
/** Limit if another program writes notes while the plan is made. */
const maxAttempts = 5

export interface NoteRewrite extends TextWrite {
  readonly before: string
  /** SHA-256 of `before`, hex. */
  readonly hash: string
}

interface Planned<Plan> {
  readonly plan: Plan
  readonly rewrites: readonly NoteRewrite[]
}

interface SkippedPlace extends UnfixableLink {
  readonly isProtected?: boolean | undefined
  /** True if the note is not text or cannot be opened. */
  readonly isUnread?: boolean | undefined
}

interface PlannedEdits {
  readonly files: readonly RewrittenFile[]
  readonly left: readonly SkippedPlace[]
}

/** Plans a move (workspace-relative) and the links to update. @param forbidden absolute paths that are not read */
export async function planMove(index: LinkIndex, move: Move, forbidden: readonly string[]): Promise<Planned<MovePlan>> {
  const { rewrites, count, ...shared } = await createPlan(index, forbidden, move, async () => planEdits(index, move))
  return { plan: { ...shared, links: count, moves: index.countMoved(move) }, rewrites }
}

function planEdits(index: LinkIndex, move: Move): PlannedEdits {
  const allFiles = index.files()
  const canvasLinks = [...index.canvases.values()].map(({ path, links }) => ({ path, links }))
  const isText = ({ path }: { readonly path: string }) => !index.canvases.has(path) && !index.undecodable.has(path)
  const linkingFiles = [...allFiles.filter(isText), ...index.undecodable.values(), ...canvasLinks]
  const { files, unfixable } = planRewrites(linkingFiles, [move])
  const editsByPath = new Map(files.map(({ path, edits }) => [path, edits]))
  const knownPaths = new Set(allFiles.map(({ path }) => path))
  const newPathOf = (path: string) => (knownPaths.has(path) ? movedPath(path, [move]) : undefined)
  const canvases = [...index.canvases.values()].flatMap(({ path, files: embeddedFiles }) => {
    const edits = [...rewriteCanvas(embeddedFiles, newPathOf), ...escapeEdits(editsByPath.get(path) ?? [])]
    return edits.length === 0 ? [] : [{ path, newPath: movedPath(path, [move]), edits }]
  })
  const unfixableInDecodable = unfixable.filter(({ path }) => !index.undecodable.has(path))
  return {
    files: [...files.filter(isText), ...canvases],
    left: [...unfixableInDecodable, ...unreadableLinks(index, files, unfixable)],
  }
}

function unreadableLinks(
  index: LinkIndex,
  files: readonly RewrittenFile[],
  unfixable: readonly UnfixableLink[],
): SkippedPlace[] {
  const editsByPath = new Map(files.map(({ path, edits }) => [path, edits]))
  return [...index.undecodable.values()].flatMap(({ path, links }) => {
    if (!links) return { path, line: 1, target: '', isUnread: true }
    const places = new Map<string, SkippedPlace>()
    for (const { from } of editsByPath.get(path) ?? []) {
      const link = links.find((candidate) => candidate.targetFrom === from || candidate.from === from)
      if (link)
        places.set(`${link.line} ${link.target}`, { path, line: link.line, target: link.target, isUnread: true })
    }
    for (const link of unfixable)
      if (link.path === path) places.set(`${link.line} ${link.target}`, { ...link, isUnread: true })
    return [...places.values()]
  })
}

/** Plans to rename a tag in all notes. Changes nothing. @throws AppError `tag_invalid` if `to` is not a tag name */
export async function planTagRename(
  index: LinkIndex,
  rename: TagRename,
  forbidden: readonly string[],
): Promise<Planned<TagPlan>> {
  const { from, to } = rename
  if (!isTagName(to)) {
    const message = `#${to} is not a valid tag: use letters, digits, - and _, with / between levels`
    throw new AppError('tag_invalid', message, { tag: to })
  }
  const { rewrites, count, left, ...shared } = await createPlan(index, forbidden, rename, () =>
    planTagEdits(index, rename, forbidden),
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
  return { plan: { ...shared, left, tags: count, joins }, rewrites }
}

async function planTagEdits(index: LinkIndex, rename: TagRename, forbidden: readonly string[]): Promise<PlannedEdits> {
  const files: RewrittenFile[] = []
  const left: SkippedPlace[] = []
  for (const note of index.notes.values()) {
    const { path } = note
    const { edits, left: lines } = renameTag(await allTagsOf(index, note, rename.from), rename)
    if (edits.length > 0) files.push({ path, newPath: path, edits })
    left.push(...lines.slice(0, maxRows).map((line) => ({ path, line, target: rename.from })))
  }
  for (const path of index.undecodable.keys()) {
    const bytes = await index.bytes(path, forbidden)
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

/**
 * Computes the new texts, and plans again if notes change meanwhile.
 * @param request the move or rename; the id of the plan is a hash of the request and the texts
 */
async function createPlan(
  index: LinkIndex,
  forbidden: readonly string[],
  request: unknown,
  edit: () => Promise<PlannedEdits>,
) {
  for (let attempt = 1; ; attempt += 1) {
    await index.refresh(forbidden)
    const planned = await edit()
    const protectedFlags = await inBatches(planned.files, concurrency, ({ path }) => index.isWriteProtected(path))
    const files = planned.files.filter((_, position) => !protectedFlags[position])
    const left: SkippedPlace[] = [...planned.left]
    for (const { path, edits } of planned.files.filter((_, position) => protectedFlags[position])) {
      const { text = '' } = (await index.text(path)) ?? {}
      const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
      const places = edits
        .slice(0, maxRows)
        .map(({ from, to }) => ({ line: lineAt(from), target: text.slice(from, to) }))
      left.push(...places.map((place) => ({ path, ...place, isProtected: true })))
    }
    const rewrites: NoteRewrite[] = []
    for (const { path, newPath, edits } of files) {
      const current = await index.text(path)
      if (!current || current.hash !== index.hashOf(path)) break
      rewrites.push({ path, newPath, hash: current.hash, before: current.text, after: applyEdits(current.text, edits) })
    }
    if (rewrites.length < files.length && attempt < maxAttempts) {
      index.invalidate(files.map(({ path }) => path))
      continue
    }
    const counts = new Map(files.map(({ path, edits }) => [path, edits.length]))
    const previews = rewrites.slice(0, maxRows).map(({ path, newPath, before, after }) => ({
      path: newPath,
      count: counts.get(path) ?? 0,
      patch: describeChange(newPath, before, after, { isInHistory: false, steps: 100_000 }).patch,
    }))
    return {
      count: files.reduce((sum, { edits }) => sum + edits.length, 0),
      notes: files.length,
      files: previews,
      left: interleaveNotes(left),
      id: planId(request, rewrites),
      rewrites,
    }
  }
}

/** Returns at most `maxRows` places, alternating between notes: a note with many rows must not hide the others. */
function interleaveNotes(places: readonly SkippedPlace[]): SkippedPlace[] {
  const countByPath = new Map<string, number>()
  const ranked = places.map((place) => {
    const rank = countByPath.get(place.path) ?? 0
    countByPath.set(place.path, rank + 1)
    return { place, rank }
  })
  const sorted = ranked.toSorted((a, b) => a.rank - b.rank)
  return sorted.slice(0, maxRows).map(({ place }) => ({ ...place }))
}

function planId(request: unknown, rewrites: readonly NoteRewrite[]): string {
  const hash = createHash('sha256').update(JSON.stringify(request))
  for (const { path, hash: before, after } of rewrites) hash.update(`\0${path}\0${before}\0${after}`)
  return hash.digest('hex')
}
