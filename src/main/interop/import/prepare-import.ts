import { createReadStream } from 'node:fs'
import type { ImportPlan } from '#shared/contract/index.ts'
import { applyEdits, rewriteLinks } from '#shared/markdown/links/rewrite-links.ts'
import { canvasFiles, canvasLinks, escapeEdits, isCanvas, rewriteCanvas } from '#shared/markdown/links/canvas.ts'
import { parseLinks, type NoteLink, type ParsedLinks } from '#shared/markdown/links/parse-links.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { findRule, type PrivateRules } from '#workspace/privacy'
import { followerOf, resolveRoots, type Roots, walkFiles, readText, resolveInside } from '#workspace'
import { findRetargetedLinks } from './existing-links.ts'
import { targetPathOf, withImportedName, withNumber } from './import-names.ts'
import { hashChunks, type OmittedFile, type Source, type SourceFile } from './read-source.ts'
import type { SizedFile } from './zipped-notes.ts'
import { stat } from 'node:fs/promises'
import { onSystemError, orUndefined } from '#shared/util/errors.ts'
import { withoutImport } from '#shared/markdown/provenance.ts'

export interface ImportOptions {
  /** Folder, relative to the workspace. */
  readonly into: string
  readonly withAttachments: boolean
  /** Folder of the agent's own files. An import creates no file that an agent follows (`followerOf`). */
  readonly own: string
  /** Rules for private notes, for the source. */
  readonly privateRules: PrivateRules
}

interface PlannedFile extends SourceFile {
  readonly links: ParsedLinks['links']
  /** References of a canvas to files; undefined if this file is a note. */
  readonly embeddedFiles: ReturnType<typeof canvasFiles> | undefined
  readonly names: readonly string[]
  readonly target: string
  placement: Placement
}

const maxNames = 200
const maxOmittedNames = 20
const maxOmittedGroups = 30

/** Plans an import: target paths, rewritten texts and files that are not imported. Writes nothing. */
export async function planImport(
  originalSource: Source,
  { into: targetFolder, withAttachments, own, privateRules }: ImportOptions,
  roots: Roots,
) {
  const { source, into, topFolder } = withoutTopFolder(withPrivateMarks(originalSource, privateRules), targetFolder)
  const targetPaths = await createTargetPaths(roots, own)
  const importedAttachments = withAttachments ? source.attachments : []
  const attachments = await placeAttachments(source, importedAttachments, into, targetPaths)
  const files: PlannedFile[] = []
  for (const { path, text } of [...source.files, ...(withAttachments ? source.canvases : [])]) {
    const target = targetPathOf(into, path)
    const embeddedFiles = isCanvas(path) ? canvasFiles(text) : undefined
    const links = embeddedFiles ? canvasLinks(text) : parseLinks(text).links
    const names = embeddedFiles ? [] : namesOf(parseProperties(text))
    const withoutLinkTargets = embeddedFiles ? withoutCanvasTargets : withoutNoteTargets
    const textWithoutTargets = withoutLinkTargets(text)
    const placement = await targetPaths.reserve(target, (file) =>
      isSameNote(file, (candidate) => candidate === text || withoutLinkTargets(candidate) === textWithoutTargets),
    )
    files.push({ path, text, links, embeddedFiles, names, target, placement })
  }
  const existingPaths = (await walkFiles(roots.workspace, undefined, roots.forbidden)).files.map(({ path }) => path)
  const unwantedFiles = withAttachments ? [] : [...source.attachments, ...source.canvases]
  const otherFiles = [...importedAttachments, ...unwantedFiles, ...source.omitted]
  const sourceResolver = new Resolver([...files, ...otherFiles.map(({ path }) => ({ path }))])
  const linkedTexts = await rewriteAllLinks(files, attachments, existingPaths, sourceResolver, targetPaths)
  const newFiles = files.filter(({ placement }) => placement.isNew)
  const newAttachments = attachments.filter(({ placement }) => placement.isNew)
  const existingLinks = await findRetargetedLinks(roots.workspace, existingPaths, [
    ...newFiles.map(({ placement, names }) => ({ path: placement.path, names })),
    ...newAttachments.map(({ placement }) => ({ path: placement.path })),
  ])
  const omitted: readonly (Omit<OmittedFile, 'reason'> & { reason: OmittedFile['reason'] | 'unwanted' })[] = [
    ...source.unread,
    ...source.omitted,
    ...unwantedFiles.map(({ path }) => ({ path, reason: 'unwanted' as const })),
  ]
  const renamed = [...newFiles, ...newAttachments].flatMap(({ path, placement }) =>
    placement.path.endsWith(path) ? [] : [{ from: path, to: placement.path }],
  )
  const textOf = ({ path, text }: PlannedFile) => linkedTexts.get(path)?.text ?? text
  const isCanvasFile = ({ embeddedFiles }: PlannedFile) => embeddedFiles !== undefined
  const [canvases, notes] = [files.filter(isCanvasFile), files.filter((file) => !isCanvasFile(file))]
  const created = (planned: readonly PlannedFile[]) =>
    planned
      .filter(({ placement }) => placement.isNew)
      .map((file) => ({ path: file.placement.path, text: textOf(file) }))
  const newCanvases = created(canvases)
  const createdPaths = [...newFiles, ...newAttachments].map(({ placement }) => placement.path)
  const canvasBytes = newCanvases.map(({ text }) => Buffer.byteLength(text))
  const linkCount = (name: 'rewritten' | 'lost') =>
    newFiles.reduce((sum, { path }) => sum + (linkedTexts.get(path)?.[name] ?? 0), 0)
  return {
    plan: {
      kind: source.kind,
      ...countsOf(notes),
      skipped: source.skippedConversations + source.unread.length,
      attachments: {
        ...countsOf([...attachments, ...canvases]),
        bytes: [...newAttachments.map(({ size }) => size), ...canvasBytes].reduce((sum, size) => sum + size, 0),
      },
      links: linkCount('rewritten'),
      lost: linkCount('lost'),
      existing: existingLinks,
      left: groupByEnding(omitted),
      names: createdPaths.slice(0, maxNames),
      renamed: { count: renamed.length, examples: renamed.slice(0, maxNames) },
    },
    // The files are created in this order: attachments before the notes that show them.
    attachments: newAttachments.map(({ path, placement }) => ({ path: placement.path, from: topFolder + path })),
    canvases: newCanvases,
    notes: created(notes),
  }
}

/** Adds a private mark to notes that a rule makes private: the rule does not cover the imported copy. */
function withPrivateMarks(source: Source, privateRules: PrivateRules): Source {
  const files = source.files.map((file) =>
    findRule(file.path, privateRules) === undefined ? file : { ...file, text: withVisibility(file.text, true) },
  )
  return { ...source, files }
}

/**
 * Strips top folders that contain everything, as in most zips: links such as `/img/x.png` start below them.
 * @returns `topFolder`: prefix that was stripped from the paths
 */
function withoutTopFolder(source: Source, into: string): { source: Source; into: string; topFolder: string } {
  const { files, attachments, canvases, omitted } = source
  const [firstPath = ''] = files.map(({ path }) => path)
  const folder = firstPath.slice(0, firstPath.indexOf('/') + 1)
  const isInFolder = ({ path }: { readonly path: string }) => path.startsWith(folder)
  if (folder === '' || ![...files, ...attachments, ...canvases, ...omitted].every(isInFolder))
    return { source, into, topFolder: '' }
  const stripFolder = <T extends { readonly path: string }>(inFolder: readonly T[]) =>
    inFolder.map((file) => ({ ...file, path: file.path.slice(folder.length) }))
  const stripped: Source = {
    ...source,
    files: stripFolder(files),
    attachments: stripFolder(attachments),
    canvases: stripFolder(canvases),
    omitted: stripFolder(omitted),
    chunks: (path) => source.chunks(folder + path),
  }
  const intoFolder = targetPathOf(into, `${folder}x`).slice(0, -'/x'.length)
  const { topFolder, ...deepest } = withoutTopFolder(stripped, intoFolder)
  return { ...deepest, topFolder: folder + topFolder }
}

type PlacedAttachment = SizedFile & { readonly placement: Placement }

async function placeAttachments(
  source: Source,
  attachments: readonly SizedFile[],
  into: string,
  targetPaths: TargetPaths,
): Promise<PlacedAttachment[]> {
  const result: PlacedAttachment[] = []
  for (const { path, size } of attachments) {
    let hash: string | undefined
    const placement = await targetPaths.reserve(targetPathOf(into, path), async (file, existingSize) => {
      if (existingSize !== size) return false
      hash ??= await hashChunks(source.chunks(path))
      return (await hashChunks(createReadStream(file))) === hash
    })
    result.push({ path, size, placement })
  }
  return result
}

/**
 * Rewrites the links and returns the final texts by source path. A file whose final text differs from the existing one
 * gets another name; then links to it change, and all links are rewritten again. Numbers only grow, so the loop ends.
 */
async function rewriteAllLinks(
  files: readonly PlannedFile[],
  attachments: readonly PlacedAttachment[],
  existingPaths: readonly string[],
  sourceResolver: Resolver,
  targetPaths: TargetPaths,
): Promise<Map<string, { text: string; rewritten: number; lost: number }>> {
  for (;;) {
    const newPaths = new Map([...files, ...attachments].map(({ path, placement }) => [path, placement.path]))
    const newPathOf = (path: string) => newPaths.get(path)
    const createdPaths = new Set(newPaths.values())
    const after = new Resolver([
      ...existingPaths.filter((path) => !createdPaths.has(path)).map((path) => ({ path })),
      ...files.map(({ placement, names }) => ({ path: placement.path, names })),
      ...attachments.map(({ placement }) => ({ path: placement.path })),
    ])
    const linkedTexts = new Map(
      files.map(({ path, text, links, embeddedFiles, placement }) => {
        const rewrite = rewriteLinks(
          { path, newPath: placement.path, links },
          { before: sourceResolver, after, newPathOf },
        )
        const edits = embeddedFiles
          ? [...rewriteCanvas(embeddedFiles, newPathOf), ...escapeEdits(rewrite.edits)]
          : rewrite.edits
        return [path, { text: applyEdits(text, edits), rewritten: edits.length, lost: rewrite.unfixable.length }]
      }),
    )
    let hasMoved = false
    for (const file of files) {
      const text = linkedTexts.get(file.path)?.text
      if (file.placement.isNew) continue
      const { path, number } = file.placement
      const isSame = (existingFile: string) => isSameNote(existingFile, (existingText) => existingText === text)
      targetPaths.release(path)
      file.placement = await targetPaths.reserve(file.target, isSame, number)
      hasMoved ||= file.placement.path !== path
    }
    if (!hasMoved) return linkedTexts
  }
}

function withoutTargets(text: string, links: readonly Pick<NoteLink, 'targetFrom' | 'targetTo'>[]): string {
  return applyEdits(
    text,
    links.map(({ targetFrom, targetTo }) => ({ from: targetFrom, to: targetTo, text: '' })),
  )
}

function withoutNoteTargets(text: string): string {
  return withoutTargets(text, parseLinks(text).links)
}

function withoutCanvasTargets(text: string): string {
  const files = canvasFiles(text).map(({ from, to }) => ({ targetFrom: from, targetTo: to }))
  return withoutTargets(text, [...files, ...canvasLinks(text)])
}

function countsOf(files: readonly { readonly placement: Placement }[]) {
  const kinds = files.map(({ placement }) => (placement.isRenamed ? 'conflicts' : placement.isNew ? 'added' : 'same'))
  const { added = [], same = [], conflicts = [] } = Object.groupBy(kinds, (kind) => kind)
  return { added: added.length, same: same.length, conflicts: conflicts.length }
}

function groupByEnding(
  omitted: readonly { readonly path: string; readonly reason: ImportPlan['left'][number]['reason'] }[],
): ImportPlan['left'] {
  const groups = new Map<string, ImportPlan['left'][number]>()
  for (const { path, reason } of omitted) {
    const ending = /\.([^./]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''
    const key = `${reason} ${ending}`
    const group = groups.get(key) ?? { reason, ending, count: 0, names: [] }
    group.count += 1
    if (group.names.length < maxOmittedNames) group.names.push(path)
    groups.set(key, group)
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count).slice(0, maxOmittedGroups)
}

type TargetPaths = Awaited<ReturnType<typeof createTargetPaths>>
type Placement = Awaited<ReturnType<TargetPaths['reserve']>>

async function createTargetPaths(roots: Roots, own: string) {
  const resolvedRoots = await resolveRoots(roots)
  const takenPaths = new Set<string>()
  return {
    /**
     * Reserves a free path for a file, or the path of a file with the same content.
     * @param requestedPath workspace-relative @param firstNumber first number to try, see `withNumber`
     * @param isSame compares with an existing file, given by absolute path and size in bytes
     * @returns `isRenamed`: true if a different file has the requested name; `number`: see `withNumber`
     */
    async reserve(
      requestedPath: string,
      isSame: (file: string, size: number) => Promise<boolean>,
      firstNumber: number = 1,
    ) {
      // Only the user may create a file that an agent follows; the import gets another name.
      const isFollowed = followerOf(requestedPath, own) !== undefined
      for (let number = firstNumber; ; number += 1) {
        const path = isFollowed ? withImportedName(requestedPath, number) : withNumber(requestedPath, number)
        if (takenPaths.has(path)) continue
        const file = await resolveInside(roots, path, resolvedRoots)
        const info = await stat(file).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
        if (info && !(info.isFile() && (await isSame(file, info.size)))) continue
        if (!info && isFollowed && number === 1) continue
        takenPaths.add(path)
        return { path, isNew: !info, isRenamed: number > (isFollowed ? 2 : 1) && !info, number }
      }
    },
    release: (path: string) => void takenPaths.delete(path),
  }
}

/** Compares with an existing note, with and without its import mark. Returns false if it is unreadable. */
async function isSameNote(file: string, isSame: (text: string) => boolean): Promise<boolean> {
  const note = await orUndefined(readText(file))
  return note !== undefined && (isSame(note.text) || isSame(withoutImport(note.text)))
}
