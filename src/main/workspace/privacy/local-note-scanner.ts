/** Looks at notes for what is local in them (M64). What has not changed is not read again, also by the next process. */
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

/** A note of which anything is local. */
export interface FoundLocal {
  readonly path: string
  readonly note: LocalNote
  /** The lines that are. */
  readonly lines: readonly string[]
}

export interface Looked {
  /** Another one whenever anything local has changed. */
  readonly version: number
  readonly local: readonly FoundLocal[]
}

interface Candidate extends FoundFile {
  readonly folder: string
  /** Where it is spoken of. */
  readonly shown: string
  /** What the settings say of it goes by this. */
  readonly asked: string
}

/** As it was when it was looked at last. */
interface Known extends Pick<FoundFile, 'size' | 'modifiedAt' | 'changedAt'> {
  readonly rule: string | undefined
  readonly local?: FoundLocal
  /** It had been as it was for a while: what has the same times now has the same text. */
  readonly isSettled: boolean
  /** Where nothing of it is local. */
  readonly key?: string
}

const atOnce = 32
/** So many notes that had to be read are worth keeping that they need not be. */
const worthKeeping = 20
/** A file may change twice within a tick of its disk's clock: what is as new as that is read again next time, ms. */
const settledMs = 2000

export class Looker {
  readonly #keptIn: string | undefined
  readonly #ask: StatFile
  #known = new Map<string, Known>()
  #last: Looked = { version: 0, local: [] }
  /** Of notes that an earlier process has read. */
  #plain: ReadonlySet<string> | undefined
  /** Notes that the next process would read for nothing. */
  #unkept = 0

  /** @param keptIn a file for what the next process need not read; its folder is there or not */
  constructor(keptIn: string | undefined, ask: StatFile = statFile) {
    this.#keptIn = keptIn
    this.#ask = ask
  }

  /** One at a time. */
  async look(folders: readonly NotesFolder[]): Promise<Looked> {
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
      if (isLocalAtAll(note)) return { ...one, local: { path: shown, note, lines: localLines(text, note) } }
      return one.isSettled ? { ...one, key } : one
    } catch (error) {
      // Gone meanwhile, or no text: nobody can read it, and it is looked at again.
      if (error instanceof AppError) return { ...one, isSettled: false }
      throw error
    }
  }

  /** None where there is no such folder, or it may not be read: nothing of it can be sent then. */
  async #files({ prefix, forbidden }: NotesFolder, folder: string, inside: string): Promise<Candidate[]> {
    try {
      const { files } = await walkNotes(folder, undefined, forbidden, this.#ask)
      return files.map((file) => ({ ...file, folder, shown: `${prefix}${inside}${file.path}`, asked: file.path }))
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP')) return []
      throw error
    }
  }

  /** What was deleted is no less local than before. */
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
  const { isWhole, rule, problem, lines } = one.note
  if (isWhole !== other.note.isWhole || rule !== other.note.rule || problem !== other.note.problem) return false
  return `${[...lines]}` === `${[...other.note.lines]}` && one.lines.join('\n') === other.lines.join('\n')
}

function isLocalAtAll({ isWhole, lines }: NoteVisibility): boolean {
  return isWhole || lines.size > 0
}

function localLines(text: string, { isWhole, lines }: NoteVisibility): string[] {
  return text.split(/\r\n|\n|\r/).filter((line, at) => (isWhole || lines.has(at)) && !isOfMatter(line))
}

/** What many notes begin with says nothing of this one. */
function isOfMatter(line: string): boolean {
  return /^\s*(?:---|visibility\s*:.*|)\s*$/i.test(line)
}
