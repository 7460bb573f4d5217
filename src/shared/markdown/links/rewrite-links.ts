import { decodePart } from '../../util/decode.ts'
import type { Range } from './hidden-text.ts'
import { formatTarget, type NoteLink } from './parse-links.ts'
import {
  logseqPageName,
  pageNames,
  fileNameOf,
  folderOf,
  Resolver,
  stemOf,
  keyOf,
  type KnownFile,
  type Resolution,
} from './resolve-link.ts'

export interface Move {
  readonly from: string
  readonly to: string
}

/** The range is that of the original text. */
export interface Edit extends Range {
  readonly text: string
}

export interface LinkingFile extends KnownFile {
  readonly links?: readonly NoteLink[] | undefined
}

export interface RewrittenFile {
  readonly path: string
  readonly newPath: string
  /** In text order, without overlap. */
  readonly edits: readonly Edit[]
}

/** No spelling reaches its target, as for a wiki link in front matter to a name that contains `]]`. */
interface UnfixableLink {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly target: string
}

/** Returns the path after the first move that applies to it; a folder moves with its content. */
export function movedPath(path: string, moves: readonly Move[]): string {
  for (const { from, to } of moves) {
    if (path === from) return to
    if (path.startsWith(`${from}/`)) return to + path.slice(from.length)
  }
  return path
}

/** Plans the link edits for moves. @param files all files of the workspace, with their links */
export function planRewrites(files: readonly LinkingFile[], moves: readonly Move[]) {
  const newPathOf = (path: string) => movedPath(path, moves)
  const before = new Resolver(files)
  const filesAfter = files.map(({ path, names }) => ({ path: newPathOf(path), names }))
  const after = new Resolver(filesAfter)
  const isMoved = (_: KnownFile, index: number) => files[index]?.path !== filesAfter[index]?.path
  const isAffected = affectedLinks([...files.filter(isMoved), ...filesAfter.filter(isMoved)])
  const rewritten: RewrittenFile[] = []
  const unfixable: UnfixableLink[] = []
  for (const { path, links: allLinks = [] } of files) {
    const newPath = newPathOf(path)
    const links = newPath === path ? allLinks.filter(isAffected) : allLinks
    if (links.length === 0) continue
    const rewrite = rewriteLinks({ path, newPath, links }, { before, after, newPathOf })
    if (rewrite.edits.length > 0) rewritten.push({ path, newPath, edits: rewrite.edits })
    unfixable.push(...rewrite.unfixable)
  }
  return { files: rewritten, unfixable }
}

interface RewriteContext {
  readonly before: Resolver
  readonly after: Resolver
  /** Returns the new path of a file; undefined if the file no longer exists, in which case its links go to `unfixable`. */
  readonly newPathOf: (path: string) => string | undefined
}

export function rewriteLinks(
  { path, newPath, links }: { readonly path: string; readonly newPath: string; readonly links: readonly NoteLink[] },
  { before, after, newPathOf }: RewriteContext,
): { edits: Edit[]; unfixable: UnfixableLink[] } {
  const edits: Edit[] = []
  const unfixable: UnfixableLink[] = []
  for (const link of links) {
    const previous = before.resolve(path, link)
    if (!previous || link.target === '') continue
    const to = newPathOf(previous.path)
    const context = to === undefined ? undefined : { from: newPath, to, after }
    if (context && isUnchanged(link, previous, context) && !changesCase(link, previous.path, context.to)) continue
    const text = context && newTargetFor(link, previous, context)
    const inline = context && text === undefined ? toInlineLink(link, context) : undefined
    if (inline !== undefined) edits.push({ from: link.from, to: link.to, text: inline })
    else if (text === undefined) unfixable.push({ path, line: link.line, target: link.target })
    else if (text !== link.written) edits.push({ from: link.targetFrom, to: link.targetTo, text })
  }
  return { edits, unfixable }
}

/** Applies edits in any order; they must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text
  const parts: string[] = []
  let offset = 0
  for (const edit of edits.toSorted((one, other) => one.from - other.from)) {
    parts.push(text.slice(offset, edit.from), edit.text)
    offset = edit.to
  }
  return parts.join('') + text.slice(offset)
}

/** Returns true if the link reaches the same note in the same way: a path must not become a match by name. */
function isUnchanged(link: NoteLink, previous: Resolution, { from, to, after }: LinkContext): boolean {
  const current = after.resolve(from, link)
  if (current?.path !== to) return false
  return link.kind === 'wiki' ? (current.by === 'alias') === (previous.by === 'alias') : current.by === previous.by
}

/** Returns true if the case of a folder changes: on a case-sensitive system the link would break. */
function changesCase({ kind, target }: NoteLink, previous: string, to: string): boolean {
  if (previous === to || (kind === 'wiki' && !target.includes('/'))) return false
  const targetPath = target.replace(/^(?:\.{0,2}\/)+/, '')
  const endsWithTarget = (path: string) => [path, stemOf(path)].some((form) => `/${form}`.endsWith(`/${targetPath}`))
  return endsWithTarget(previous) && !endsWithTarget(to)
}

interface LinkContext {
  readonly from: string
  readonly to: string
  readonly after: Resolver
}

function newTargetFor(link: NoteLink, previous: Resolution, { from, to, after }: LinkContext): string | undefined {
  for (const target of candidateTargets(link, previous, from, to)) {
    if (after.resolve(from, { kind: link.kind, target })?.path !== to) continue
    if (link.kind === 'wiki' && !target.includes('/') && after.countFilesNamed(target) > 1) continue
    const written = link.kind === 'wiki' ? target : encodeTarget(target, link)
    if (link.kind !== 'wiki' || isValidWikiTarget(target)) return written
  }
  return undefined
}

/**
 * Converts a wiki link to a Markdown link if no wiki link can name the note. Note embeds cannot be converted: Markdown
 * embeds only images. Front matter and macros cannot contain Markdown links.
 */
function toInlineLink(link: NoteLink, { from, to, after }: LinkContext): string | undefined {
  const { kind, isEmbed, allowsOnlyWikiLink, fragment, label } = link
  if (kind !== 'wiki' || allowsOnlyWikiLink || (isEmbed && stemOf(to) !== to)) return undefined
  const written = markdownTargetFor(after, { from, to, fragment })
  const text = label ?? formatTarget(link)
  return written === undefined ? undefined : markdownLink(text, written, isEmbed)
}

/** @returns undefined if the target does not resolve to the file */
export function markdownTargetFor(
  resolver: Resolver,
  { from, to, fragment }: { from: string; to: string; fragment?: string | undefined },
): string | undefined {
  // An unescaped bar would end a table cell.
  const written = encodeTarget(relativePath(from, to), { written: '', isAngled: false }).replaceAll('|', '%7C')
  if (resolver.resolve(from, { kind: 'inline', target: decodePart(written) })?.path !== to) return undefined
  return fragment === undefined ? written : `${written}#${encodeTarget(fragment, { written: '', isAngled: false })}`
}

/** @param written encoded target for `](…)` */
export function markdownLink(text: string, written: string, isEmbed = false): string {
  return `${isEmbed ? '!' : ''}[${text.replaceAll(/[[\]\\]/g, '\\$&')}](${written})`
}

/** Returns candidate targets for a note, the link's current style first. */
function candidateTargets(link: NoteLink, { by }: Resolution, from: string, to: string): string[] {
  const { target, kind } = link
  const keepsExtension = stemOf(target) !== target || stemOf(to) === to
  const targets: string[] = []
  for (const path of keepsExtension ? [to] : [stemOf(to), to]) {
    const relative = relativePath(from, path)
    const segments = path.split('/')
    if (target.startsWith('./') && !relative.startsWith('../')) targets.push(`./${relative}`)
    if (/^\.\.?\//.test(target)) targets.push(relative.startsWith('../') ? relative : `./${relative}`)
    if (target.startsWith('/')) targets.push(`/${path}`)
    if (by === 'alias') targets.push(logseqPageName(fileNameOf(stemOf(path))))
    if (kind !== 'wiki' && by === 'relative') targets.push(relative)
    if (by === 'root' && target.includes('/')) targets.push(path)
    for (let count = Math.min(target.split('/').length, segments.length); count <= segments.length; count += 1)
      targets.push(segments.slice(-count).join('/'))
    targets.push(`/${path}`)
  }
  // If a folder's name is not allowed in a wiki link, the bare name may still work.
  if (kind === 'wiki') targets.push(fileNameOf(keepsExtension ? to : stemOf(to)))
  return targets
}

export function relativePath(from: string, path: string): string {
  const fromSegments = folderOf(from).split('/').slice(0, -1)
  const toSegments = path.split('/')
  while (fromSegments.length > 0 && toSegments.length > 1 && fromSegments[0] === toSegments[0]) {
    fromSegments.shift()
    toSegments.shift()
  }
  const relative = [...fromSegments.map(() => '..'), ...toSegments].join('/')
  // Without `./`, a name with a colon would parse as a URL scheme.
  return /^[a-z][a-z\d+.-]*:/i.test(relative) ? `./${relative}` : relative
}

export function isValidWikiTarget(target: string): boolean {
  return !/[[\]|#`\n\r]|%%|<!--|^\s|\s$|^mailto:|:\/\//i.test(target)
}

/** Encodes the required characters, and non-ASCII letters if the original link had them encoded. */
function encodeTarget(target: string, { written, isAngled }: Pick<NoteLink, 'written' | 'isAngled'>): string {
  const isBalanced = /^[^()]*(?:\([^()]*\)[^()]*)*$/.test(target)
  const hasEncodedLetters = /%[89a-f][\da-f]/i.test(written)
  return target.replaceAll(/[^]/gu, (character) => {
    const mustEncode =
      /[%#?<>\\`\p{Cc}]/u.test(character) ||
      (!isAngled && (/\s/.test(character) || (!isBalanced && /[()]/.test(character)))) ||
      (isAngled && character === ' ' && written.includes('%20')) ||
      (hasEncodedLetters && character > '\u007F')
    return mustEncode && character.isWellFormed() ? encodeCharacter(character) : character
  })
}

export function encodeCharacter(character: string): string {
  return /[()]/.test(character) ? (character === '(' ? '%28' : '%29') : encodeURIComponent(character)
}

/** Repeated extensions too: link `a.md` can refer to `a.md.md`. */
const extensions = /(?:\.(?:md|markdown))+$/i
const indexFileName = /^(?:index|readme)$/

/** Compares names only: of the moved file, its aliases, and the folder of an index file. */
function affectedLinks(files: Iterable<KnownFile>): (link: Pick<NoteLink, 'target'>) => boolean {
  const keys = new Set<string>()
  for (const { path, names = [] } of files) {
    const key = fileNameKey(path)
    keys.add(key)
    if (indexFileName.test(key)) keys.add(fileNameKey(folderOf(path).slice(0, -1)))
    for (const name of [...pageNames(path), ...names]) keys.add(keyOf(name))
  }
  return ({ target }) => {
    const path = target.replaceAll('\\', '/')
    // A percent-encoded target, or one without a last name, may match any file.
    if (path.includes('%') || /(?:^|\/)\.{0,2}$/.test(path)) return true
    return keys.has(fileNameKey(path)) || keys.has(keyOf(path))
  }
}

function fileNameKey(path: string): string {
  return keyOf(fileNameOf(path).replace(extensions, ''))
}
