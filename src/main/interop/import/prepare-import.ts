import { createReadStream } from 'node:fs'
import type { ImportPlan } from '#shared/contract/index.ts'
import { applyEdits, rewriteLinks } from '#shared/markdown/links/rewrite-links.ts'
import {
  canvasFiles,
  canvasLinks,
  escapeEdits,
  isCanvas,
  rewriteCanvas,
  type CanvasFile,
} from '#shared/markdown/links/canvas.ts'
import { parseLinks, type NoteLink, type ParsedLinks } from '#shared/markdown/links/parse-links.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { findRule } from '#workspace/privacy'
import { resolveRoots, type Roots, walkFiles, readText, resolveInside, type ResolvedRoots } from '#workspace'
import { findRetargetedLinks } from './existing-links.ts'
import { targetPathOf, withNumber } from './import-names.ts'
import { hashChunks, type SkippedFile, type Source, type SourceAttachment, type SourceFile } from './read-source.ts'
import { stat } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { withoutImport } from '#shared/markdown/provenance.ts'

export interface ImportOptions {
  /** Folder, relative to the workspace. */
  readonly into: string
  readonly withAttachments: boolean
  /** Files that every request to a model contains; an import never creates one. */
  readonly steering: readonly string[]
  /** Rules for local notes, relative to the source. */
  readonly local: readonly string[]
}

export interface Prepared {
  readonly plan: ImportPlan
  /** To be created in this order: attachments before the notes that show them. */
  readonly attachments: readonly { readonly path: string; readonly from: string }[]
  readonly canvases: readonly { readonly path: string; readonly text: string }[]
  readonly notes: readonly { readonly path: string; readonly text: string }[]
}

interface Note extends SourceFile {
  readonly links: ParsedLinks['links']
  /** Files that a canvas shows; undefined for a note. */
  readonly embeddedFiles: readonly CanvasFile[] | undefined
  readonly names: readonly string[]
  readonly target: string
  placed: Placement & { number: number }
}

const maxNames = 200
const maxLeftNames = 20
const maxLeftKinds = 30

/** Plans an import: target paths, rewritten texts and skipped files. Writes nothing. */
export async function planImport(
  originalSource: Source,
  { into: targetFolder, withAttachments, steering, local }: ImportOptions,
  roots: Roots,
): Promise<Prepared> {
  const { source, into, topFolder } = withoutTopFolder(withLocalMarks(originalSource, local), targetFolder)
  const targetPaths = new TargetPaths(roots, await resolveRoots(roots), steering)
  const wanted = withAttachments ? source.attachments : []
  const attachments = await placeAttachments(source, wanted, into, targetPaths)
  const notes: Note[] = []
  for (const { path, text } of [...source.files, ...(withAttachments ? source.canvases : [])]) {
    const target = targetPathOf(into, path)
    const embeddedFiles = isCanvas(path) ? canvasFiles(text) : undefined
    const links = embeddedFiles ? canvasLinks(text) : parseLinks(text).links
    const withoutLinkTargets = embeddedFiles
      ? withoutCanvasTargets
      : (candidate: string) => withoutTargets(candidate, parseLinks(candidate).links)
    const bareText = withoutLinkTargets(text)
    const placed = await targetPaths.find(target, (file) =>
      isSameNote(file, (candidate) => candidate === text || withoutLinkTargets(candidate) === bareText),
    )
    notes.push({
      path,
      text,
      links,
      embeddedFiles,
      names: embeddedFiles ? [] : namesOf(parseProperties(text)),
      target,
      placed,
    })
  }
  const existing = (await walkFiles(roots.workspace, undefined, roots.forbidden)).files.map(({ path }) => path)
  const unwanted = withAttachments ? [] : [...source.attachments, ...source.canvases]
  const otherFiles = [...wanted, ...unwanted, ...source.left]
  const before = new Resolver([...notes, ...otherFiles.map(({ path }) => ({ path }))])
  const linked = await linkAll(notes, attachments, existing, before, targetPaths)
  const existingLinks = await findRetargetedLinks(roots.workspace, existing, [
    ...notes.filter(({ placed }) => placed.isNew).map(({ placed, names }) => ({ path: placed.path, names })),
    ...attachments.filter(({ placed }) => placed.isNew).map(({ placed }) => ({ path: placed.path })),
  ])
  const left: readonly (Omit<SkippedFile, 'reason'> & { reason: SkippedFile['reason'] | 'unwanted' })[] = [
    ...source.unread,
    ...source.left,
    ...unwanted.map(({ path }) => ({ path, reason: 'unwanted' as const })),
  ]
  const newNotes = notes.filter(({ placed }) => placed.isNew)
  const newAttachments = attachments.filter(({ placed }) => placed.isNew)
  const renamed = [...newNotes, ...newAttachments].flatMap(({ path, placed }) => {
    const to = placed.path.slice(placed.path.length - path.length)
    return to === path ? [] : [{ from: path, to: placed.path }]
  })
  const textOf = ({ path, text }: Note) => linked.get(path)?.text ?? text
  const newCanvases = newNotes.filter(({ embeddedFiles }) => embeddedFiles)
  const createdPaths = [...newNotes, ...newAttachments].map(({ placed }) => placed.path)
  return {
    plan: {
      kind: source.kind,
      ...countsOf(notes.filter(({ embeddedFiles }) => !embeddedFiles)),
      skipped: source.skipped + source.unread.length,
      attachments: {
        ...countsOf([...attachments, ...notes.filter(({ embeddedFiles }) => embeddedFiles)]),
        bytes: [
          ...newAttachments,
          ...newCanvases.map((canvas) => ({ size: Buffer.byteLength(textOf(canvas)) })),
        ].reduce((sum, { size }) => sum + size, 0),
      },
      links: newNotes.reduce((sum, { path }) => sum + (linked.get(path)?.rewritten ?? 0), 0),
      lost: newNotes.reduce((sum, { path }) => sum + (linked.get(path)?.lost ?? 0), 0),
      existing: existingLinks,
      left: groupedByEnding(left),
      names: createdPaths.slice(0, maxNames),
      renamed: { count: renamed.length, examples: renamed.slice(0, maxNames) },
    },
    attachments: newAttachments.map(({ path, placed }) => ({ path: placed.path, from: topFolder + path })),
    canvases: newCanvases.map((canvas) => ({ path: canvas.placed.path, text: textOf(canvas) })),
    notes: newNotes
      .filter(({ embeddedFiles }) => !embeddedFiles)
      .map((note) => ({ path: note.placed.path, text: textOf(note) })),
  }
}

/** Adds a local mark to notes that a rule makes local: the rule does not cover the copy. */
function withLocalMarks(source: Source, local: readonly string[]): Source {
  const files = source.files.map((file) =>
    findRule(file.path, local) === undefined ? file : { ...file, text: withVisibility(file.text, true) },
  )
  return { ...source, files }
}

interface StrippedSource {
  readonly source: Source
  readonly into: string
  /** Prefix that was removed from the paths. */
  readonly topFolder: string
}

/** Removes a single top folder, as most zips have one: links such as `/img/x.png` start below it. */
function withoutTopFolder(source: Source, into: string): StrippedSource {
  const { files, attachments, canvases, left } = source
  const [first = ''] = files.map(({ path }) => path)
  const folder = first.slice(0, first.indexOf('/') + 1)
  if (folder === '' || ![...files, ...attachments, ...canvases, ...left].every(({ path }) => path.startsWith(folder)))
    return { source, into, topFolder: '' }
  const stripFolder = <T extends { readonly path: string }>(all: readonly T[]) =>
    all.map((one) => ({ ...one, path: one.path.slice(folder.length) }))
  const moved: Source = {
    ...source,
    files: stripFolder(files),
    attachments: stripFolder(attachments),
    canvases: stripFolder(canvases),
    left: stripFolder(left),
    chunks: (path) => source.chunks(folder + path),
  }
  const { topFolder, ...rest } = withoutTopFolder(moved, targetPathOf(into, `${folder}x`).slice(0, -2))
  return { ...rest, topFolder: folder + topFolder }
}

type PlacedAttachment = SourceAttachment & { readonly placed: Placement }

async function placeAttachments(
  source: Source,
  attachments: readonly SourceAttachment[],
  into: string,
  targetPaths: TargetPaths,
): Promise<PlacedAttachment[]> {
  const result: PlacedAttachment[] = []
  for (const { path, size } of attachments) {
    let hash: string | undefined
    const placed = await targetPaths.find(targetPathOf(into, path), async (file, sizeThere) => {
      if (sizeThere !== size) return false
      hash ??= await hashChunks(source.chunks(path))
      return (await hashChunks(createReadStream(file))) === hash
    })
    result.push({ path, size, placed })
  }
  return result
}

interface LinkedText {
  readonly text: string
  readonly rewritten: number
  readonly lost: number
}

/**
 * Rewrites the links and returns the final texts by source path. A note whose final text differs from the existing file
 * gets another name, which changes links to it. Numbers only grow, so the loop ends.
 */
async function linkAll(
  notes: readonly Note[],
  attachments: readonly PlacedAttachment[],
  existing: readonly string[],
  before: Resolver,
  targetPaths: TargetPaths,
): Promise<Map<string, LinkedText>> {
  for (;;) {
    const placed = new Map([...notes, ...attachments].map(({ path, placed }) => [path, placed.path]))
    const createdPaths = new Set(placed.values())
    const after = new Resolver([
      ...existing.filter((path) => !createdPaths.has(path)).map((path) => ({ path })),
      ...notes.map(({ placed, names }) => ({ path: placed.path, names })),
      ...attachments.map(({ placed }) => ({ path: placed.path })),
    ])
    const linked = new Map(
      notes.map((note) => {
        const file = { path: note.path, newPath: note.placed.path, links: note.links }
        const newPathOf = (path: string) => placed.get(path)
        const linked = rewriteLinks(file, { before, after, newPathOf })
        const edits = note.embeddedFiles
          ? [...rewriteCanvas(note.embeddedFiles, newPathOf), ...escapeEdits(linked.edits)]
          : linked.edits
        return [
          note.path,
          { text: applyEdits(note.text, edits), rewritten: edits.length, lost: linked.unfixable.length },
        ]
      }),
    )
    let moved = 0
    for (const note of notes) {
      const text = linked.get(note.path)?.text
      if (note.placed.isNew) continue
      const { path, number } = note.placed
      const isSame = (file: string) => isSameNote(file, (existingText) => existingText === text)
      targetPaths.release(path)
      note.placed = await targetPaths.find(note.target, isSame, number)
      if (note.placed.path !== path) moved += 1
    }
    if (moved === 0) return linked
  }
}

function withoutTargets(text: string, links: readonly Pick<NoteLink, 'targetFrom' | 'targetTo'>[]): string {
  return applyEdits(
    text,
    links.map(({ targetFrom, targetTo }) => ({ from: targetFrom, to: targetTo, text: '' })),
  )
}

function withoutCanvasTargets(text: string): string {
  const files = canvasFiles(text).map(({ from, to }) => ({ targetFrom: from, targetTo: to }))
  return withoutTargets(text, [...files, ...canvasLinks(text)])
}

function countsOf(files: readonly { readonly placed: Placement }[]) {
  return {
    added: files.filter(({ placed }) => placed.isNew && !placed.isRenamed).length,
    same: files.filter(({ placed }) => !placed.isNew).length,
    conflicts: files.filter(({ placed }) => placed.isNew && placed.isRenamed).length,
  }
}

function groupedByEnding(
  left: readonly { readonly path: string; readonly reason: ImportPlan['left'][number]['reason'] }[],
): ImportPlan['left'] {
  const groups = new Map<string, ImportPlan['left'][number]>()
  for (const { path, reason } of left) {
    const ending = /\.([^./]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''
    const key = `${reason} ${ending}`
    const group = groups.get(key) ?? { reason, ending, count: 0, names: [] }
    group.count += 1
    if (group.names.length < maxLeftNames) group.names.push(path)
    groups.set(key, group)
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count).slice(0, maxLeftKinds)
}

interface Placement {
  readonly path: string
  readonly isNew: boolean
  /** True if the wanted name was taken by a different file. */
  readonly isRenamed: boolean
}

class TargetPaths {
  readonly #roots: Roots
  readonly #resolvedRoots: ResolvedRoots
  readonly #steering: ReadonlySet<string>
  readonly #taken = new Set<string>()

  constructor(roots: Roots, resolvedRoots: ResolvedRoots, contextFiles: readonly string[]) {
    this.#roots = roots
    this.#resolvedRoots = resolvedRoots
    this.#steering = new Set(contextFiles.map((path) => path.toLowerCase()))
  }

  /**
   * Finds a path for a file. @param wanted workspace-relative @param from first number to try
   * @param isSame compares with an existing file, given by absolute path and size in bytes
   */
  async find(
    wanted: string,
    isSame: (file: string, size: number) => Promise<boolean>,
    from: number = 1,
  ): Promise<Placement & { number: number }> {
    for (let number = from; ; number += 1) {
      const path = withNumber(wanted, number)
      if (this.#taken.has(path)) continue
      const file = await resolveInside(this.#roots, path, this.#resolvedRoots)
      const info = await stat(file).catch((error: unknown) => {
        if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
        throw error
      })
      if (info && !(info.isFile() && (await isSame(file, info.size)))) continue
      // Only the user may write a file that every request contains; the import gets another name.
      if (!info && this.#steering.has(path.toLowerCase())) continue
      this.#taken.add(path)
      return { path, isNew: !info, isRenamed: number > 1 && !info, number }
    }
  }

  release(path: string): void {
    this.#taken.delete(path)
  }
}

/** Compares with an existing note, ignoring its import mark. False if it is unreadable. */
async function isSameNote(file: string, isSame: (text: string) => boolean): Promise<boolean> {
  try {
    const { text } = await readText(file)
    return isSame(text) || isSame(withoutImport(text))
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
