/** Finds the local text of notes. Unchanged files are not read again, not even by the next process. */
import { join } from 'node:path'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { visibilityOf, type NoteVisibility } from '#shared/markdown/visibility.ts'
import { ageOf, inBatches } from '#platform'
import { statFile, type StatFile } from '../files/stat-file.ts'
import { readText } from '../files/text-files.ts'
import { trashFolder } from '../files/layout.ts'
import { walkNotes, type FoundFile } from '../files/walk.ts'
import { keepPlain, plainKey, readPlain } from './plain-notes.ts'
import { findRule, applyRule, type LocalNote, type NotesFolder } from './privacy-rules.ts'

export interface FoundLocal {
  readonly path: string
  readonly note: LocalNote
  /** Its local lines. */
  readonly lines: readonly string[]
}

export interface ScanResult {
  /** Increases whenever local text has changed. */
  readonly version: number
  readonly local: readonly FoundLocal[]
}

interface Candidate extends FoundFile {
  readonly folder: string
  /** Path for display and as key. */
  readonly shown: string
  /** Path that the rules of the settings apply to. */
  readonly asked: string
}

/** State of a file at the last scan. */
interface Known extends Pick<FoundFile, 'size' | 'modifiedAt' | 'changedAt'> {
  readonly rule: string | undefined
  readonly local?: FoundLocal
  /** True if the file was old enough that equal times mean equal text. */
  readonly isSettled: boolean
  /** Key in the cache; only for a note without local text. */
  readonly key?: string
}

const atOnce = 32
/** Number of newly read notes from which the cache is written. */
const worthKeeping = 20
/** Milliseconds. A file can change twice within a tick of the disk's clock, so newer files are read again. */
const settledMs = 2000

export class LocalNoteScanner {
  readonly #keptIn: string | undefined
  readonly #ask: StatFile
  #known = new Map<string, Known>()
  #last: ScanResult = { version: 0, local: [] }
  /** Cached keys of an earlier process. */
  #plain: ReadonlySet<string> | undefined
  /** Number of notes that the cache lacks. */
  #unkept = 0

  /** @param keptIn cache file; its folder may be missing */
  constructor(keptIn: string | undefined, ask: StatFile = statFile) {
    this.#keptIn = keptIn
    this.#ask = ask
  }

  /** Calls must not overlap. */
  async scan(folders: readonly NotesFolder[]): Promise<ScanResult> {
    this.#plain ??= this.#keptIn === undefined ? new Set() : await readPlain(this.#keptIn)
    const known = new Map<string, Known>()
    for (const folder of folders) {
      const changed: Candidate[] = []
      for (const file of [...(await this.#files(folder, folder.folder, '')), ...(await this.#trashed(folder))]) {
        const before = this.#known.get(file.shown)
        if (before && isAsBefore(file, before, folder.local)) known.set(file.shown, before)
        else changed.push(file)
      }
      const read = await inBatches(changed, atOnce, (file) => this.#read(file, findRule(file.asked, folder.local)))
      for (const [at, { shown }] of changed.entries()) {
        const one = read[at]
        if (one) known.set(shown, one)
      }
    }
    this.#compare(known)
    this.#keep()
    return this.#last
  }

  #compare(known: ReadonlyMap<string, Known>): void {
    const before = this.#known
    let isSame = this.#last.version > 0
    for (const [path, { local }] of known) if (!isSameLocal(local, before.get(path)?.local)) isSame = false
    for (const [path, { local }] of before) if (local && !known.has(path)) isSame = false
    this.#known = new Map(known)
    if (isSame) return
    const local = [...known.values()].flatMap((one) => one.local ?? [])
    this.#last = { version: this.#last.version + 1, local }
  }

  #keep(): void {
    if (this.#keptIn === undefined || this.#unkept < worthKeeping) return
    this.#unkept = 0
    void keepPlain(
      this.#keptIn,
      [...this.#known.values()].flatMap(({ key }) => key ?? []),
    )
  }

  async #read(file: Candidate, rule: string | undefined): Promise<Known> {
    const { size, modifiedAt, changedAt, shown } = file
    const one = { size, modifiedAt, changedAt, rule, isSettled: ageOf({ mtimeMs: changedAt }) > settledMs }
    const key = plainKey(shown, `${size} ${modifiedAt} ${changedAt} ${rule ?? ''}`)
    if (this.#plain?.has(key)) return { ...one, key }
    this.#unkept += 1
    try {
      const { text } = await readText(join(file.folder, file.path), shown)
      const note = applyRule(visibilityOf(text), rule)
      if (hasLocalText(note)) return { ...one, local: { path: shown, note, lines: localTextOf(text, note) } }
      return one.isSettled ? { ...one, key } : one
    } catch (error) {
      // The file is gone or not text. The next scan reads it again.
      if (error instanceof AppError) return { ...one, isSettled: false }
      throw error
    }
  }

  /** Returns no files if the folder is missing or unreadable, as then nothing of it can be sent. */
  async #files({ prefix, forbidden }: NotesFolder, folder: string, inside: string): Promise<Candidate[]> {
    try {
      const { files } = await walkNotes(folder, undefined, forbidden, this.#ask)
      return files.map((file) => ({ ...file, folder, shown: `${prefix}${inside}${file.path}`, asked: file.path }))
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP')) return []
      throw error
    }
  }

  /** Deleted notes stay local. */
  async #trashed(folder: NotesFolder): Promise<Candidate[]> {
    const found = await this.#files(folder, join(folder.folder, trashFolder), `${trashFolder}/`)
    return found.map((file) => ({ ...file, asked: file.path.slice(file.path.indexOf('/') + 1) }))
  }
}

function isAsBefore(file: Candidate, before: Known, rules: readonly string[]): boolean {
  const { size, modifiedAt, changedAt, isSettled, rule } = before
  if (!isSettled || file.size !== size || file.modifiedAt !== modifiedAt || file.changedAt !== changedAt) return false
  return findRule(file.asked, rules) === rule
}

function isSameLocal(one: FoundLocal | undefined, other: FoundLocal | undefined): boolean {
  if (one === other || !one || !other) return one === other
  const keyOf = ({ isFullyLocal, rule, problem, localLines }: LocalNote) =>
    JSON.stringify([isFullyLocal, rule, problem, [...localLines]])
  return keyOf(one.note) === keyOf(other.note) && one.lines.join('\n') === other.lines.join('\n')
}

function hasLocalText({ isFullyLocal, localLines }: NoteVisibility): boolean {
  return isFullyLocal || localLines.size > 0
}

function localTextOf(text: string, { isFullyLocal, localLines }: NoteVisibility): string[] {
  return text.split(/\r\n|\n|\r/).filter((line, at) => (isFullyLocal || localLines.has(at)) && !isOfMatter(line))
}

/** Returns true for a line that many notes begin with, which is no secret. */
function isOfMatter(line: string): boolean {
  return /^\s*(?:---|visibility\s*:.*|)\s*$/i.test(line)
}
