import { join } from 'node:path'
import { AppError, isSystemError, onSystemError, orUndefined } from '#shared/util/errors.ts'
import { canvasFiles, canvasLinks, isCanvas, type CanvasFile } from '#shared/markdown/links/canvas.ts'
import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { parseLinks, type ParsedLinks } from '#shared/markdown/links/parse-links.ts'
import { Resolver } from '#shared/markdown/links/resolve-link.ts'
import { namesOf, parseProperties } from '#shared/markdown/properties/parse-properties.ts'
import type { NoteProperties } from '#shared/markdown/properties/property.ts'
import { inBatches } from '#platform'
import { isMarkdown } from '../files/layout.ts'
import { isWriteProtected, readBytes, readText, type PathCheck } from '../files/text-files.ts'
import { resolveRoots } from '../files/paths.ts'
import { refuseUnreadable, walkFiles, type FoundFile } from '../files/walk.ts'
import type { NewNoteConventions } from './new-linked-note.ts'
import { findLinks } from './undecodable-notes.ts'
import type { LinkStyle } from './format-link.ts'

export interface IndexedNote extends ParsedLinks, NoteProperties {
  readonly path: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /** SHA-256 of the text, hex. */
  readonly hash: string
  readonly names: readonly string[]
}

interface IndexedCanvas extends Pick<IndexedNote, 'path' | 'size' | 'modifiedAt' | 'hash' | 'links'> {
  readonly files: readonly CanvasFile[]
}

/** A note that is not text or cannot be opened. It is never written. */
interface UndecodableNote extends Pick<IndexedNote, 'path' | 'size' | 'modifiedAt'> {
  /** Links as far as they can be decoded; undefined if the file cannot be opened. */
  readonly links: ParsedLinks['links'] | undefined
}

export interface Referrer {
  readonly note: IndexedNote
  readonly link: IndexedNote['links'][number]
}

const concurrency = 64

/** Links, properties, tags and canvases of all notes in a workspace. Paths are relative to it. */
export class LinkIndex {
  conventions: NewNoteConventions & LinkStyle = {
    newNotes: 'beside',
    isFlat: false,
    links: 'wiki',
    linkPaths: 'shortest',
  }
  readonly #root: string
  notes = new Map<string, IndexedNote>()
  #attachments: readonly string[] = []
  undecodable = new Map<string, UndecodableNote>()
  canvases = new Map<string, IndexedCanvas>()
  #resolver: Resolver | undefined
  #referrers: Map<string, Referrer[]> | undefined

  /** @param root absolute path of the workspace */
  constructor(root: string) {
    this.#root = root
  }

  /** Returns the hash of the indexed text; undefined for attachments and undecodable notes. */
  hashOf(path: string): string | undefined {
    return (this.notes.get(path) ?? this.canvases.get(path))?.hash
  }

  get resolver(): Resolver {
    this.#resolver ??= new Resolver(this.files())
    return this.#resolver
  }

  files(): { path: string; names?: readonly string[]; links?: IndexedNote['links'] }[] {
    const undecodable = [...this.undecodable.keys()].map((path) => ({ path, links: [] }))
    return [...this.notes.values(), ...undecodable, ...this.#attachments.map((path) => ({ path }))]
  }

  /** Returns the links to a file from other notes; empty if there are none. */
  referrersOf(path: string): readonly Referrer[] {
    this.#referrers ??= this.#computeReferrers()
    return this.#referrers.get(path) ?? []
  }

  countMoved(move: Move): number {
    return this.files().filter(({ path }) => movedPath(path, [move]) !== path).length
  }

  /**
   * Reads files that have changed.
   * @param forbidden absolute paths of folders that are skipped
   * @throws AppError `folder_unreadable`
   */
  async refresh(forbidden: readonly string[]): Promise<void> {
    const { isAllowed } = await resolveRoots({ workspace: this.#root, forbidden })
    const { files } = await walkFiles(this.#root, undefined, forbidden).catch(refuseUnreadable(this.#root))
    const notes = files.filter(({ path }) => isMarkdown(path))
    const isUnchanged = ({ path, size, modifiedAt }: FoundFile) => {
      const indexed = this.notes.get(path) ?? this.undecodable.get(path)
      // Always try again to open a note that could not be opened: new permissions change neither size nor time.
      return indexed?.links !== undefined && indexed.size === size && indexed.modifiedAt === modifiedAt
    }
    const changedNotes = notes.filter((file) => !isUnchanged(file))
    const attachments = files.filter(({ path }) => !isMarkdown(path)).map(({ path }) => path)
    const readNotes = new Map<string, IndexedNote>()
    const undecodable = new Map<string, UndecodableNote>()
    for (const file of notes) {
      const note = this.undecodable.get(file.path)
      if (note && isUnchanged(file)) undecodable.set(file.path, note)
    }
    await inBatches(changedNotes, concurrency, async (file) => {
      const content = await this.text(file.path, isAllowed)
      if (!content) {
        const bytes = await this.#readBytes(file.path, isAllowed)
        // A file that was deleted has no links.
        undecodable.set(file.path, { ...file, links: bytes === null ? undefined : bytes ? findLinks(bytes) : [] })
        return
      }
      const parsedProperties = parseProperties(content.text)
      readNotes.set(file.path, {
        ...file,
        hash: content.hash,
        names: namesOf(parsedProperties),
        ...parsedProperties,
        ...parseLinks(content.text),
      })
    })
    await this.#readCanvases(files, isAllowed)
    const hasSameUndecodable =
      undecodable.size === this.undecodable.size && [...undecodable.keys()].every((path) => this.undecodable.has(path))
    const hasNoChanges =
      readNotes.size === 0 &&
      hasSameUndecodable &&
      notes.length === this.notes.size + undecodable.size &&
      attachments.join('\n') === this.#attachments.join('\n')
    this.undecodable = undecodable
    if (hasNoChanges) return
    const decodableNotes = notes.filter(({ path }) => !undecodable.has(path))
    const entries = decodableNotes.map(({ path }) => [path, readNotes.get(path) ?? this.notes.get(path)] as const)
    this.notes = new Map(entries.filter((entry): entry is [string, IndexedNote] => entry[1] !== undefined))
    this.#attachments = attachments
    this.#resolver = undefined
    this.#referrers = undefined
  }

  /**
   * Makes the next `refresh` read these files again: a second write within the clock's resolution changes neither size
   * nor time.
   */
  invalidate(paths: readonly string[]): void {
    for (const path of paths) {
      this.notes.delete(path)
      this.undecodable.delete(path)
      this.canvases.delete(path)
    }
  }

  async isWriteProtected(path: string): Promise<boolean> {
    return isWriteProtected(join(this.#root, path))
  }

  /** Returns the current text and hash of a note; undefined if it cannot be read. */
  async text(path: string, isAllowed?: PathCheck): Promise<{ text: string; hash: string } | undefined> {
    return orUndefined(readText(join(this.#root, path), path, isAllowed)).catch(onSystemError(undefined))
  }

  /** Returns the bytes of a file; null if it cannot be read, undefined if it does not exist. */
  async bytes(path: string, forbidden: readonly string[]): Promise<Buffer | null | undefined> {
    const { isAllowed } = await resolveRoots({ workspace: this.#root, forbidden })
    return this.#readBytes(path, isAllowed)
  }

  async #readBytes(path: string, isAllowed: PathCheck): Promise<Buffer | null | undefined> {
    try {
      return await readBytes(join(this.#root, path), path, isAllowed)
    } catch (error) {
      if (error instanceof AppError) return error.code === 'file_not_found' ? undefined : null
      if (isSystemError(error)) return null
      throw error
    }
  }

  async #readCanvases(files: readonly FoundFile[], isAllowed: PathCheck): Promise<void> {
    const canvasFileInfos = files.filter(({ path }) => isCanvas(path))
    const canvases = await inBatches(canvasFileInfos, concurrency, async (file): Promise<IndexedCanvas | undefined> => {
      const indexed = this.canvases.get(file.path)
      if (indexed?.size === file.size && indexed.modifiedAt === file.modifiedAt) return indexed
      const content = await this.text(file.path, isAllowed)
      return (
        content && { ...file, hash: content.hash, files: canvasFiles(content.text), links: canvasLinks(content.text) }
      )
    })
    this.canvases = new Map(canvases.flatMap((canvas) => (canvas ? [[canvas.path, canvas]] : [])))
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
