import { join } from 'node:path'
import { AppError, isSystemError, onSystemError, orUndefined } from '#shared/util/errors.ts'
import { type CanvasFile, canvasFiles, canvasLinks, isCanvas } from '#shared/markdown/links/canvas.ts'
import { type NoteLink, type ParsedLinks, parseLinks } from '#shared/markdown/links/parse-links.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { namesOf, parseProperties, rewriteLimits, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import type { NoteProperties } from '#shared/markdown/properties/front-matter.ts'
import { decodeAs, inBatches } from '#platform'
import { isMarkdown } from '../files/layout.ts'
import { isWriteProtected, type PathCheck, readBytes, readText } from '../files/text-files.ts'
import { resolveRoots } from '../files/paths.ts'
import { type WalkedFile, refuseUnreadable, walkFiles } from '../files/walk.ts'
import type { LinkConventions } from './format-link.ts'
import { renameTag, type TagRename } from '#shared/markdown/properties/property-test.ts'

export interface IndexedNote extends WalkedFile, ParsedLinks, NoteProperties {
  /** SHA-256 of the text, hex. */
  readonly hash: string
  readonly names: readonly string[]
}

/** An attachment, or a note that is not text or cannot be opened. It is never written. */
interface OtherFile extends WalkedFile {
  readonly hash?: string
  readonly names?: readonly string[]
  /** Links as far as they can be decoded; undefined if the file cannot be opened. */
  readonly links?: ParsedLinks['links'] | undefined
}

interface IndexedCanvas extends OtherFile {
  readonly files: readonly CanvasFile[]
}

export interface Referrer {
  readonly note: IndexedNote
  readonly link: IndexedNote['links'][number]
}

const concurrency = 64

export class LinkIndex {
  conventions: LinkConventions = {
    newNotes: 'beside',
    hasFlatPages: false,
    links: 'wiki',
    linkPaths: 'shortest',
  }
  readonly #root: string
  files = new Map<string, IndexedNote | IndexedCanvas | OtherFile>()
  notes = new Map<string, IndexedNote>()
  canvases: readonly IndexedCanvas[] = []
  /** Notes that are not text or cannot be opened. */
  undecodable = new Map<string, OtherFile>()
  #isAllowed: PathCheck = () => false
  #resolver: Resolver | undefined
  #referrers: Map<string, Referrer[]> | undefined

  /** @param root absolute path of the workspace */
  constructor(root: string) {
    this.#root = root
  }

  get resolver(): Resolver {
    this.#resolver ??= new Resolver(this.files.values())
    return this.#resolver
  }

  /** Returns the links to a file from other notes; empty if there are none. */
  referrersOf(path: string): readonly Referrer[] {
    this.#referrers ??= this.#computeReferrers()
    return this.#referrers.get(path) ?? []
  }

  /** Reads changed files. @param forbidden absolute paths of skipped folders @throws AppError `folder_unreadable` */
  async refresh(forbidden: readonly string[]): Promise<void> {
    this.#isAllowed = (await resolveRoots({ workspace: this.#root, forbidden })).isAllowed
    const { files } = await walkFiles(this.#root, undefined, forbidden).catch(refuseUnreadable(this.#root))
    const indexedFiles = await inBatches(files, concurrency, async (file) => {
      const known = this.files.get(file.path)
      if (known?.links && known.size === file.size && known.modifiedAt === file.modifiedAt) return known
      // Always try again to open a note that could not be opened: new permissions change neither size nor time.
      const indexed = await this.#read(file)
      return known && !known.links && !indexed.links ? known : indexed
    })
    if (indexedFiles.length === this.files.size && indexedFiles.every((file) => this.files.get(file.path) === file))
      return
    this.files = new Map(indexedFiles.map((file) => [file.path, file]))
    this.canvases = indexedFiles.filter((file): file is IndexedCanvas => 'files' in file)
    const notes = indexedFiles.filter((file): file is IndexedNote => 'headings' in file)
    this.notes = new Map(notes.map((note) => [note.path, note]))
    const undecodable = indexedFiles.filter(({ path }) => isMarkdown(path) && !this.notes.has(path))
    this.undecodable = new Map(undecodable.map((file) => [file.path, file]))
    this.#resolver = undefined
    this.#referrers = undefined
  }

  async #read(file: WalkedFile): Promise<IndexedNote | IndexedCanvas | OtherFile> {
    const { path } = file
    if (!isMarkdown(path) && !isCanvas(path)) return file
    const content = await this.text(path)
    if (isCanvas(path))
      return content
        ? { ...file, hash: content.hash, files: canvasFiles(content.text), links: canvasLinks(content.text) }
        : file
    if (content) {
      const properties = parseProperties(content.text)
      const names = namesOf(properties)
      return { ...file, hash: content.hash, names, ...properties, ...parseLinks(content.text) }
    }
    const bytes = await this.bytes(path)
    // A file that was deleted has no links.
    return { ...file, links: bytes === null ? undefined : bytes ? findLinks(bytes) : [] }
  }

  /** A second write within the clock's resolution changes neither size nor time: `refresh` must read it again. */
  invalidate(paths: readonly string[]): void {
    for (const path of paths) this.files.delete(path)
  }

  async isWriteProtected(path: string): Promise<boolean> {
    return isWriteProtected(join(this.#root, path))
  }

  async text(path: string): Promise<{ text: string; hash: string } | undefined> {
    return orUndefined(readText(join(this.#root, path), path, this.#isAllowed)).catch(onSystemError(undefined))
  }

  /** Returns the bytes of a file; null if it cannot be read, undefined if it does not exist. */
  async bytes(path: string): Promise<Buffer | null | undefined> {
    try {
      return await readBytes(join(this.#root, path), path, this.#isAllowed)
    } catch (error) {
      if (error instanceof AppError) return error.code === 'file_not_found' ? undefined : null
      if (isSystemError(error)) return null
      throw error
    }
  }

  #computeReferrers(): Map<string, Referrer[]> {
    const referrers = [...this.notes.values()].flatMap((note) =>
      note.links.flatMap((link) => {
        const to = this.resolver.resolve(note.path, link)?.path
        return to === undefined || to === note.path ? [] : [{ note, link, to }]
      }),
    )
    return Map.groupBy(referrers, ({ to }) => to)
  }
}

/** Likely encodings: UTF-8 with invalid bytes, UTF-16, and GB18030 (Chinese versions of Windows). */
const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'gb18030']

/** Returns the 1-based lines of a tag in the first encoding in which the tag occurs; empty if there is none. */
export function findTagLines(bytes: Uint8Array, rename: TagRename): readonly number[] {
  for (const encoding of encodings) {
    const text = decodeAs(encoding, bytes, false) ?? ''
    if (!tagKey(text).includes(tagKey(rename.from))) continue
    const tags = parseProperties(text, rewriteLimits).tags.map(({ name, line }) => ({ name, line, place: null }))
    const { left: lines } = renameTag({ tags }, rename)
    if (lines.length > 0) return lines
  }
  return []
}

/** Finds links in any of the encodings, and in Windows-1252. Each link is returned once. */
export function findLinks(bytes: Uint8Array): NoteLink[] {
  const linksByKey = new Map<string, NoteLink>()
  for (const encoding of [...encodings, 'windows-1252']) {
    const text = (decodeAs(encoding, bytes, false) ?? '').replaceAll('\0', '')
    for (const link of parseLinks(text).links) {
      const key = `${link.line} ${link.target}`
      if (!linksByKey.has(key)) linksByKey.set(key, link)
    }
  }
  return [...linksByKey.values()]
}
