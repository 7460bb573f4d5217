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
import { parseAllTags, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { renameTag, type TagRename } from '#shared/markdown/properties/rename-tag.ts'
import type { NoteProperties } from '#shared/markdown/properties/property.ts'
import { inBatches, describeChange } from '#platform'
import type { IndexedNote, LinkIndex } from '../links/link-index.ts'
import { findTagLines } from '../links/undecodable-notes.ts'
import type { TextWrite } from './settle-text.ts'

const atOnce = 64
const maxShown = 40
/** Retries if another program writes notes while the plan is made. */
const maxTries = 5

export interface NoteRewrite extends TextWrite {
  readonly before: string
  /** SHA-256 of `before`, hex. */
  readonly hash: string
}

export interface PlannedMove {
  readonly plan: MovePlan
  readonly rewrites: readonly NoteRewrite[]
}

export interface PlannedRename {
  readonly plan: TagPlan
  readonly rewrites: readonly NoteRewrite[]
}

interface SkippedPlace extends UnfixableLink {
  readonly isProtected?: boolean | undefined
  /** The note is not text, or cannot be opened. */
  readonly isUnread?: boolean | undefined
}

interface Edited {
  readonly files: readonly RewrittenFile[]
  readonly left: readonly SkippedPlace[]
}

/** Plans a move (workspace-relative) and the links to update. @param forbidden absolute paths that the walk skips */
export async function planMove(index: LinkIndex, move: Move, forbidden: readonly string[]): Promise<PlannedMove> {
  const { rewrites, count, ...shared } = await createPlan(index, forbidden, move, async () => movedFiles(index, move))
  return { plan: { ...shared, links: count, moves: index.countMoved(move) }, rewrites }
}

function movedFiles(index: LinkIndex, move: Move): Edited {
  const all = index.files()
  const cards = [...index.canvases.values()].map(({ path, links }) => ({ path, links }))
  const isRead = ({ path }: { readonly path: string }) => !index.canvases.has(path) && !index.undecodable.has(path)
  const linking = [...all.filter(isRead), ...index.undecodable.values(), ...cards]
  const { files, unfixable } = planRewrites(linking, [move])
  const linked = new Map(files.map(({ path, edits }) => [path, edits]))
  const known = new Set(all.map(({ path }) => path))
  const newPathOf = (path: string) => (known.has(path) ? movedPath(path, [move]) : undefined)
  const canvases = [...index.canvases.values()].flatMap(({ path, files: shown }) => {
    const edits = [...rewriteCanvas(shown, newPathOf), ...escapeEdits(linked.get(path) ?? [])]
    return edits.length === 0 ? [] : [{ path, newPath: movedPath(path, [move]), edits }]
  })
  const unfixableInDecodable = unfixable.filter(({ path }) => !index.undecodable.has(path))
  return {
    files: [...files.filter(isRead), ...canvases],
    left: [...unfixableInDecodable, ...unreadLinks(index, files, unfixable)],
  }
}

function unreadLinks(
  index: LinkIndex,
  files: readonly RewrittenFile[],
  left: readonly UnfixableLink[],
): SkippedPlace[] {
  const edits = new Map(files.map((file) => [file.path, file.edits]))
  return [...index.undecodable.values()].flatMap(({ path, links }) => {
    if (!links) return { path, line: 1, target: '', isUnread: true }
    const places = new Map<string, SkippedPlace>()
    for (const { from } of edits.get(path) ?? []) {
      const link = links.find((one) => one.targetFrom === from || one.from === from)
      if (link)
        places.set(`${link.line} ${link.target}`, { path, line: link.line, target: link.target, isUnread: true })
    }
    for (const one of left) if (one.path === path) places.set(`${one.line} ${one.target}`, { ...one, isUnread: true })
    return [...places.values()]
  })
}

/** Plans to rename a tag in all notes. Changes nothing. @throws AppError `tag_invalid` if `to` is not a tag name */
export async function planTagRename(
  index: LinkIndex,
  rename: TagRename,
  forbidden: readonly string[],
): Promise<PlannedRename> {
  const { from, to } = rename
  if (!isTagName(to))
    throw new AppError(
      'tag_invalid',
      `#${to} is not a valid tag: use letters, digits, - and _, with / between levels`,
      { tag: to },
    )
  const { rewrites, count, left, ...shared } = await createPlan(index, forbidden, rename, () =>
    renamedFiles(index, rename, forbidden),
  )
  for (const { path, after } of rewrites) {
    const parsedAfter = parseAllTags(after)
    const keepsOldTag = parsedAfter.tags.some(
      ({ name }) => isUnderTag(name, tagKey(from)) && !isUnderTag(to, tagKey(from)),
    )
    if (keepsOldTag && !left.some((one) => one.path === path)) left.push({ path, line: 1, target: from })
  }
  const joins =
    tagKey(to) !== tagKey(from) &&
    [...index.notes.values()].some(({ tags }) =>
      tags.some(({ name }) => isUnderTag(name, tagKey(to)) && !isUnderTag(name, tagKey(from))),
    )
  return { plan: { ...shared, left, tags: count, joins }, rewrites }
}

async function renamedFiles(index: LinkIndex, rename: TagRename, forbidden: readonly string[]): Promise<Edited> {
  const files: RewrittenFile[] = []
  const left: SkippedPlace[] = []
  for (const note of index.notes.values()) {
    const { path } = note
    const { edits, left: lines } = renameTag(await allTagsOf(index, note, rename.from), rename)
    if (edits.length > 0) files.push({ path, newPath: path, edits })
    left.push(...lines.slice(0, maxShown).map((line) => ({ path, line, target: rename.from })))
  }
  for (const path of index.undecodable.keys()) {
    const bytes = await index.bytes(path, forbidden)
    if (bytes === undefined) continue
    // A note that cannot be opened may contain the tag.
    const lines = bytes === null ? [1] : findTagLines(bytes, rename)
    left.push(...lines.slice(0, maxShown).map((line) => ({ path, line, target: rename.from, isUnread: true })))
  }
  return { files, left }
}

/** Reads all tags of a note. The index stores a limited number for each. */
async function allTagsOf(index: LinkIndex, note: IndexedNote, from: string): Promise<Pick<NoteProperties, 'tags'>> {
  const current = note.isPartial ? await index.text(note.path) : undefined
  // A note that has changed since is checked again in `createPlan`.
  if (current?.hash !== note.hash) return note
  const { tags, isPartial } = parseAllTags(current.text)
  return { tags: isPartial ? [{ name: from, line: 1, place: null }, ...tags] : tags }
}

/**
 * Computes the new texts, and plans again if notes change meanwhile.
 * @param request the request; the plan's id is a hash of it and of the texts
 */
async function createPlan(
  index: LinkIndex,
  forbidden: readonly string[],
  request: unknown,
  edit: () => Promise<Edited>,
) {
  for (let tries = 1; ; tries += 1) {
    await index.refresh(forbidden)
    const edited = await edit()
    const isProtected = await inBatches(edited.files, atOnce, ({ path }) => index.isWriteProtected(path))
    const files = edited.files.filter((_, at) => !isProtected[at])
    const left: SkippedPlace[] = [...edited.left]
    for (const { path, edits } of edited.files.filter((_, at) => isProtected[at])) {
      const { text = '' } = (await index.text(path)) ?? {}
      left.push(...edits.slice(0, maxShown).map(({ from, to }) => protectedPlace(path, text, from, to)))
    }
    const rewrites: NoteRewrite[] = []
    for (const { path, newPath, edits } of files) {
      const current = await index.text(path)
      if (!current || current.hash !== index.hashOf(path)) break
      rewrites.push({ path, newPath, hash: current.hash, before: current.text, after: applyEdits(current.text, edits) })
    }
    if (rewrites.length < files.length && tries < maxTries) {
      index.invalidate(files.map(({ path }) => path))
      continue
    }
    const counts = new Map(files.map(({ path, edits }) => [path, edits.length]))
    const shown = rewrites.slice(0, maxShown).map(({ path, newPath, before, after }) => ({
      path: newPath,
      count: counts.get(path) ?? 0,
      patch: describeChange(newPath, before, after, { isInHistory: false, steps: 100_000 }).patch,
    }))
    return {
      count: files.reduce((sum, { edits }) => sum + edits.length, 0),
      notes: files.length,
      files: shown,
      left: interleaveNotes(left),
      id: planId(request, rewrites),
      rewrites,
    }
  }
}

/** Interleaves notes, so that one note with many rows does not hide the others. */
function interleaveNotes(left: readonly SkippedPlace[]): SkippedPlace[] {
  const seen = new Map<string, number>()
  const counted = left.map((one) => {
    const rank = seen.get(one.path) ?? 0
    seen.set(one.path, rank + 1)
    return { one, turn: rank }
  })
  const inTurn = counted.toSorted((one, other) => one.turn - other.turn)
  return inTurn.slice(0, maxShown).map(({ one }) => ({ ...one }))
}

function protectedPlace(path: string, text: string, from: number, to: number): SkippedPlace {
  return { path, line: text.slice(0, from).split('\n').length, target: text.slice(from, to), isProtected: true }
}

function planId(request: unknown, rewrites: readonly NoteRewrite[]): string {
  const hash = createHash('sha256').update(JSON.stringify(request))
  for (const { path, hash: before, after } of rewrites) hash.update(`\0${path}\0${before}\0${after}`)
  return hash.digest('hex')
}
