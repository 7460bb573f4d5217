import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportPlan } from '#shared/contract/index.ts'
import { canvasFiles, canvasLinks, escapeEdits, isCanvas, rewriteCanvas } from '#shared/markdown/links/canvas.ts'
import { type NoteLink, parseLinks } from '#shared/markdown/links/parse-links.ts'
import { fileNameOf, Resolver, stemOf, type KnownFile } from '#shared/markdown/links/resolve-link.ts'
import { applyEdits, rewriteLinks } from '#shared/markdown/links/rewrite-links.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import { withoutImport } from '#shared/markdown/provenance.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { onSystemError, orUndefined } from '#shared/util/errors.ts'
import { lazy } from '#shared/util/lazy.ts'
import { inBatches } from '#platform'
import { followerOf, isMarkdown, readText, resolveInside, resolveRoots, type Roots, walkFiles } from '#workspace'
import { findRule, type PrivateRules } from '#workspace/privacy'
import { chatIdIn, memoryNote, withNewMessages, type SourceFile, type SourceText } from './chats.ts'
import { targetPathOf, withImportedName, withNumber } from './import-names.ts'
import type { ImportSource } from './read-source.ts'

export interface ImportOptions {
  readonly into: string
  readonly withAttachments: boolean
  /** Folder of the agent's own files. */
  readonly own: string
  readonly privateRules: PrivateRules
  readonly signal?: AbortSignal | undefined
}

interface PlannedText extends SourceText {
  readonly links: readonly NoteLink[]
  readonly shown: ReturnType<typeof canvasFiles>
  readonly names: readonly string[]
  readonly target: string
  placement: Placement
}

type PlannedAttachment = SourceFile & { readonly target: string; readonly placement: Placement }

const maxNames = 200
const maxOmittedNames = 20
const maxOmittedGroups = 30
const batchSize = 64
const maxExamples = 20

/** Plans an import: target paths, rewritten texts and files that are not imported. Writes nothing. */
export async function planImport(
  source: ImportSource,
  { into, withAttachments, own, privateRules, signal }: ImportOptions,
  roots: Roots,
) {
  const targetPaths = await createTargetPaths(roots, own)
  const nameOf = ({ path, name }: Pick<SourceText, 'path' | 'name'>) => name ?? source.names.get(path) ?? path
  const targetOf = (file: Pick<SourceText, 'path' | 'name'>) => targetPathOf(into, source.topFolder + nameOf(file))
  const isWanted = ({ path }: { readonly path: string }) => withAttachments || isMarkdown(path)
  const sourceFiles = [...source.files, ...source.attachments.values()]
  const unwanted = sourceFiles.filter((file) => !isWanted(file))
  const omitted = [...source.omitted, ...unwanted.map(({ path }) => ({ path, reason: 'unwanted' as const }))]
  const attachments: PlannedAttachment[] = []
  for (const file of source.attachments.values().filter(isWanted))
    attachments.push({
      ...file,
      target: targetOf(file),
      placement: await targetPaths.reserve(targetOf(file), isSameAttachment(file)),
    })
  const texts: PlannedText[] = []
  const existingPaths = (await walkFiles(roots.workspace, undefined, roots.forbidden)).files.map(({ path }) => path)
  const existingNotes = await readNotes(roots.workspace, existingPaths)
  const knownChats = Map.groupBy(existingNotes, ({ chat }) => chat)
  let sameChats = 0
  for (const file of source.files.filter(isWanted)) {
    signal?.throwIfAborted()
    const known = file.isChat && knownChats.get(chatIdIn(file.text))?.map(({ text }) => text)
    const sourceText = known ? withNewMessages(file.text, known.join('\n')) : file.text
    if (sourceText === undefined) {
      sameChats += 1
      continue
    }
    const { path } = file
    // A rule that makes the note private does not cover the imported copy.
    const isPrivate = isMarkdown(path) && findRule(source.topFolder + path, privateRules) !== undefined
    const text = isPrivate ? withVisibility(sourceText, true) : sourceText
    const target = targetOf({ path, name: file.name })
    const comparedText = withoutTargets(path, text)
    const placement = await targetPaths.reserve(target, (file) =>
      isSameNote(file, (candidate) => candidate === text || withoutTargets(path, candidate) === comparedText),
    )
    texts.push({
      path,
      name: file.name,
      text,
      ...linksOf(path, text),
      names: namesOf(parseProperties(text)),
      target,
      placement,
    })
  }
  const sourceResolver = new Resolver([...texts, ...attachments.map(({ path }) => ({ path })), ...omitted])
  const linkedTexts = await rewriteAllLinks(texts, attachments, existingPaths, sourceResolver, targetPaths)
  const isNew = ({ placement }: { readonly placement: Placement }) => placement.isNew
  const newTexts = texts.filter(isNew).map((file) => ({ ...file, ...linkedTexts.get(file) }))
  const newAttachments = attachments.filter(isNew)
  const newFiles = [...newTexts, ...newAttachments]
  const newPaths = newFiles.map(({ placement }) => placement.path)
  const renamed = newFiles.flatMap(({ placement, ...file }) =>
    placement.path.endsWith(nameOf(file)) ? [] : [{ from: file.path, to: placement.path }],
  )
  const newCanvases = newTexts.filter(({ path }) => isCanvas(path))
  const newNotes = newTexts.filter(({ path }) => isMarkdown(path))
  const sizes = [...newAttachments.map(({ size }) => size), ...newCanvases.map(({ text }) => Buffer.byteLength(text))]
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const counts = countsOf(texts.filter(({ path }) => isMarkdown(path)))
  return {
    plan: {
      kind: source.kind,
      ...counts,
      same: counts.same + sameChats,
      skipped: source.skipped,
      memories: newTexts.some(({ path }) => path === memoryNote) ? source.memories.length : 0,
      attachments: { ...countsOf([...attachments, ...texts.filter(({ path }) => isCanvas(path))]), bytes: sum(sizes) },
      links: sum(newTexts.map(({ rewritten = 0 }) => rewritten)),
      lost: sum(newTexts.map(({ lost = 0 }) => lost)),
      existing: findRetargetedLinks(existingNotes, existingPaths, [
        ...newTexts.map(({ placement, names }) => ({ path: placement.path, names })),
        ...newAttachments.map(({ placement }) => ({ path: placement.path })),
      ]),
      left: groupByEnding(omitted),
      leftParts: source.leftParts,
      decoded: source.decoded.slice(0, maxNames),
      names: newPaths.slice(0, maxNames),
      renamed: { count: renamed.length, examples: renamed.slice(0, maxNames) },
    },
    /** In the order of creation: attachments before the notes that show them. `source`: path in the source. */
    files: [...newAttachments.map((file) => ({ ...file, text: null })), ...newCanvases, ...newNotes].map(
      ({ path, placement, text }) => ({ path: placement.path, source: path, text }),
    ),
  }
}

function isSameAttachment({ size, chunks }: SourceFile) {
  let ownHash: string | undefined
  return async (file: string, existingSize: number) =>
    existingSize === size && (await hashOf(createReadStream(file))) === (ownHash ??= await hashOf(chunks()))
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Rewrites the links and returns the final texts. A file whose final text differs from the existing one
 * gets another name; then links to it change, and all links are rewritten again. Numbers only grow, so the loop ends.
 */
async function rewriteAllLinks(
  texts: readonly PlannedText[],
  attachments: readonly PlannedAttachment[],
  existingPaths: readonly string[],
  sourceResolver: Resolver,
  targetPaths: TargetPaths,
): Promise<Map<PlannedText, LinkedText>> {
  const link = (pathOf: (file: PlannedText | PlannedAttachment) => string) =>
    linkTexts(texts, attachments, existingPaths, sourceResolver, pathOf)
  // An unchanged note of an earlier import links to the earlier version of a changed one.
  const earlierTexts = lazy(() => link(({ target }) => target))
  for (;;) {
    const linkedTexts = link(({ placement }) => placement.path)
    let hasMoved = false
    for (const file of texts) {
      const text = linkedTexts.get(file)?.text
      if (file.placement.isNew) continue
      const { path, number } = file.placement
      const isSame = (existingFile: string) =>
        isSameNote(existingFile, (existing) => existing === text || existing === earlierTexts().get(file)?.text)
      targetPaths.release(path)
      file.placement = await targetPaths.reserve(file.target, isSame, number)
      hasMoved ||= file.placement.path !== path
    }
    if (!hasMoved) return linkedTexts
  }
}

interface LinkedText {
  readonly text: string
  readonly rewritten: number
  readonly lost: number
}

/** @param pathOf path of a file after the import */
function linkTexts(
  texts: readonly PlannedText[],
  attachments: readonly PlannedAttachment[],
  existingPaths: readonly string[],
  sourceResolver: Resolver,
  pathOf: (file: PlannedText | PlannedAttachment) => string,
): Map<PlannedText, LinkedText> {
  const newPaths = new Map([...texts, ...attachments].map((file) => [file.path, pathOf(file)]))
  const newPathOf = (path: string) => newPaths.get(path)
  const createdPaths = new Set(newPaths.values())
  const after = new Resolver([
    ...existingPaths.filter((path) => !createdPaths.has(path)).map((path) => ({ path })),
    ...texts.map((file) => ({ path: pathOf(file), names: file.names })),
    ...attachments.map((file) => ({ path: pathOf(file) })),
  ])
  return new Map(
    texts.map((file) => {
      const { path, text, links, shown } = file
      const rewrite = rewriteLinks({ path, newPath: pathOf(file), links }, { before: sourceResolver, after, newPathOf })
      const linkEdits = isCanvas(path) ? escapeEdits(rewrite.edits) : rewrite.edits
      const edits = [...rewriteCanvas(shown, newPathOf), ...linkEdits]
      return [file, { text: applyEdits(text, edits), rewritten: edits.length, lost: rewrite.unfixable.length }]
    }),
  )
}

function linksOf(path: string, text: string): Pick<PlannedText, 'links' | 'shown'> {
  return isCanvas(path)
    ? { links: canvasLinks(text), shown: canvasFiles(text) }
    : { links: parseLinks(text).links, shown: [] }
}

function withoutTargets(path: string, text: string): string {
  const { links, shown } = linksOf(path, text)
  const targets = [...shown, ...links.map(({ targetFrom: from, targetTo: to }) => ({ from, to }))]
  const edits = targets.map(({ from, to }) => ({ from, to, text: '' }))
  return applyEdits(text, edits)
}

type ExistingNote = Awaited<ReturnType<typeof readNotes>>[number]

/** @param workspace absolute path @param paths relative to it @returns `text`: of notes of chats only */
async function readNotes(workspace: string, paths: readonly string[]) {
  return inBatches(paths.filter(isMarkdown), batchSize, async (path) => {
    const { text } = (await orUndefined(readText(join(workspace, path)))) ?? { text: '' }
    const chat = chatIdIn(text)
    const names = namesOf(parseProperties(text))
    return { path, links: parseLinks(text).links, names, chat, text: chat === undefined ? '' : text }
  })
}

/** @param paths existing files, workspace-relative @returns at most 20 examples each */
function findRetargetedLinks(notes: readonly ExistingNote[], paths: readonly string[], newFiles: readonly KnownFile[]) {
  const otherFiles = paths.filter((path) => !isMarkdown(path)).map((path) => ({ path }))
  const before = new Resolver([...notes, ...otherFiles])
  const after = new Resolver([...notes, ...otherFiles, ...newFiles])
  const emptyGroup = () => ({ count: 0, examples: [] })
  const retargeted: ImportPlan['existing'] = { elsewhere: emptyGroup(), found: emptyGroup(), shared: emptyGroup() }
  for (const note of notes)
    for (const link of note.links) {
      const [oldTarget, newTarget] = [before.resolve(note.path, link), after.resolve(note.path, link)]
      if (!newTarget) continue
      const { line, target } = link
      const name = stemOf(fileNameOf(target))
      const isShared = newTarget.by === 'name' && after.countFilesNamed(name) > before.countFilesNamed(name)
      const isSame = oldTarget?.path === newTarget.path
      if (isSame && !isShared) continue
      const group = retargeted[isSame ? 'shared' : oldTarget ? 'elsewhere' : 'found']
      group.count += 1
      if (group.examples.length < maxExamples)
        group.examples.push({ path: note.path, line, target, from: oldTarget?.path ?? null, to: newTarget.path })
    }
  return retargeted
}

function countsOf(files: readonly { readonly placement: Placement }[]) {
  const kinds = files.map(({ placement }) => (placement.isRenamed ? 'conflicts' : placement.isNew ? 'added' : 'same'))
  const { added = [], same = [], conflicts = [] } = Object.groupBy(kinds, (kind) => kind)
  return { added: added.length, same: same.length, conflicts: conflicts.length }
}

function groupByEnding(
  omitted: readonly { readonly path: string; readonly reason: ImportPlan['left'][number]['reason'] }[],
): ImportPlan['left'] {
  const endingOf = (path: string) => /\.([^./]{1,12})$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return [...Map.groupBy(omitted, ({ path, reason }) => `${reason} ${endingOf(path)}`).values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, maxOmittedGroups)
    .flatMap((files) => {
      const names = files.slice(0, maxOmittedNames).map(({ path }) => path)
      return files
        .slice(0, 1)
        .map(({ path, reason }) => ({ reason, ending: endingOf(path), count: files.length, names }))
    })
}

type TargetPaths = Awaited<ReturnType<typeof createTargetPaths>>
type Placement = Awaited<ReturnType<TargetPaths['reserve']>>

async function createTargetPaths(roots: Roots, own: string) {
  const resolvedRoots = await resolveRoots(roots)
  const takenPaths = new Set<string>()
  /** Many file systems do not tell upper from lower case. */
  const keyOf = (path: string) => path.toLowerCase()
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
        if (takenPaths.has(keyOf(path))) continue
        const file = await resolveInside(resolvedRoots, path)
        const info = await stat(file).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
        if (info && !(info.isFile() && (await isSame(file, info.size)))) continue
        if (!info && isFollowed && number === 1) continue
        takenPaths.add(keyOf(path))
        return { path, isNew: !info, isRenamed: number > (isFollowed ? 2 : 1) && !info, number }
      }
    },
    release: (path: string) => void takenPaths.delete(keyOf(path)),
  }
}

/** Compares a note with and without the import mark. Returns false if the note is unreadable. */
async function isSameNote(file: string, isSame: (text: string) => boolean): Promise<boolean> {
  const note = await orUndefined(readText(file))
  return note !== undefined && (isSame(note.text) || isSame(withoutImport(note.text)))
}
