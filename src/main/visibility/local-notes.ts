/**
 * Which notes, sections and lines of a memory stay on this machine (M64), as the files have it at this moment: looked at
 * anew for every request that leaves, for somebody may have marked a note a moment ago, in whatever program. What has not
 * changed is not read again.
 */
import { join } from 'node:path'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { visibilityOf, withoutLocal, type NoteVisibility } from '../../shared/visibility.ts'
import { inBatches } from '../files/index.ts'
import { readText, trashFolder, walkNotes, type FoundFile } from '../workspace/index.ts'
import { LocalNet } from './net.ts'

/** A folder of notes, and what of it the settings keep here. */
export interface NotesFolder {
  /** Absolute. */
  readonly folder: string
  /** What its paths begin with where they are spoken of. */
  readonly prefix: string
  /** Folders inside it that are somebody else's, absolute. */
  readonly forbidden: readonly string[]
  /** Folders and files that are local as a whole, as beginnings of paths. */
  readonly local: readonly string[]
}

/** What is local in one note that has any of it. */
export interface LocalNote extends NoteVisibility {
  /** The folder or file of the settings that says so. */
  readonly rule?: string
}

/** What a text that is at hand says of itself, and the settings of its path. */
export interface Marks {
  /** What of a text is local that has this path now. */
  of(path: string, text: string): LocalNote
  /** The text as a remote model may see it, with as many lines; `held` of them say something else. */
  shown(path: string, text: string): { readonly text: string; readonly held: number }
}

/** What is local in all notes, too. */
export interface Sight extends Marks {
  readonly net: LocalNet
  /** Notes of which anything is local, by path. */
  readonly notes: ReadonlyMap<string, LocalNote>
}

interface Known {
  readonly stamp: string
  readonly note: LocalNote | undefined
  readonly lines: readonly string[]
}

const atOnce = 32

export class LocalNotes {
  readonly #folders: () => readonly NotesFolder[]
  #known = new Map<string, Known>()
  #last: Sight | undefined
  #running: Promise<Sight> | undefined
  #next: Promise<Sight> | undefined

  constructor(folders: () => readonly NotesFolder[]) {
    this.#folders = folders
  }

  /** For a text that was just read: no file is looked at. */
  marks(): Marks {
    return marksBy(this.#folders())
  }

  /** As it is now: the look begins after this was called. */
  look(): Promise<Sight> {
    if (!this.#running) return this.#start()
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start())
    return this.#next
  }

  #start(): Promise<Sight> {
    this.#next = undefined
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #look(): Promise<Sight> {
    const folders = this.#folders()
    const known = new Map<string, Known>()
    let isSame = this.#last !== undefined
    for (const folder of folders) {
      const found = [...(await filesOf(folder, folder.folder, '')), ...(await trashed(folder))]
      const looked = await inBatches(found, atOnce, async (file) => {
        const before = this.#known.get(file.shown)
        const rule = ruleFor(file.asked, folder.local)
        const stamp = `${file.size} ${file.modifiedAt} ${rule ?? ''}`
        return { file, one: before?.stamp === stamp ? before : await read(file, stamp, rule), before }
      })
      for (const { file, one, before } of looked) {
        known.set(file.shown, one)
        if (one !== before && (one.note || before?.note)) isSame = false
      }
    }
    for (const [path, { note }] of this.#known) if (note && !known.has(path)) isSame = false
    this.#known = known
    if (!isSame || !this.#last) this.#last = sightOf(known, marksBy(folders))
    else this.#last = { ...this.#last, ...marksBy(folders) }
    return this.#last
  }
}

interface Candidate extends FoundFile {
  readonly folder: string
  /** Where it is spoken of. */
  readonly shown: string
  /** What the settings say of it goes by this. */
  readonly asked: string
}

/** None where there is no such folder, or it may not be read: nothing of it can be sent then. */
async function filesOf({ prefix, forbidden }: NotesFolder, folder: string, inside: string): Promise<Candidate[]> {
  try {
    const { files } = await walkNotes(folder, undefined, forbidden)
    return files.map((file) => ({ ...file, folder, shown: `${prefix}${inside}${file.path}`, asked: file.path }))
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'ELOOP')) return []
    throw error
  }
}

/** What was deleted is no less local than before. */
async function trashed(folder: NotesFolder): Promise<Candidate[]> {
  const found = await filesOf(folder, join(folder.folder, trashFolder), `${trashFolder}/`)
  return found.map((file) => ({ ...file, asked: file.path.slice(file.path.indexOf('/') + 1) }))
}

async function read(file: Candidate, stamp: string, rule: string | undefined): Promise<Known> {
  try {
    const { text } = await readText(join(file.folder, file.path), file.shown)
    const note = withRule(visibilityOf(text), rule)
    return isLocalAtAll(note) ? { stamp, note, lines: localLines(text, note) } : { stamp, note: undefined, lines: [] }
  } catch (error) {
    // Gone meanwhile, or no text: nobody can read it, and it is looked at again.
    if (error instanceof AppError) return { stamp: '', note: undefined, lines: [] }
    throw error
  }
}

function withRule(note: NoteVisibility, rule: string | undefined): LocalNote {
  return rule === undefined ? note : { ...note, isWhole: true, lines: new Set(), rule }
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

function sightOf(known: ReadonlyMap<string, Known>, marks: Marks): Sight {
  const notes = new Map<string, LocalNote>()
  const lines: { path: string; text: string }[] = []
  for (const [path, { note, lines: own }] of known) {
    if (!note) continue
    notes.set(path, note)
    for (const text of own) lines.push({ path, text })
  }
  return { net: new LocalNet(lines), notes, ...marks }
}

function marksBy(folders: readonly NotesFolder[]): Marks {
  const ruleOf = (path: string) => {
    const folder = folders.findLast(({ prefix }) => prefix !== '' && path.startsWith(prefix)) ?? folders[0]
    return folder && ruleFor(path.slice(folder.prefix.length), folder.local)
  }
  const of = (path: string, text: string) => withRule(visibilityOf(text), ruleOf(path))
  return { of, shown: (path, text) => withoutLocal(text, of(path, text)) }
}

/** `private` and `private/` keep what lies in the folder, `private/x` also `private/x.md`; however it is written. */
export function ruleFor(path: string, rules: readonly string[]): string | undefined {
  const plain = foldedPath(path)
  return rules.find((rule) => {
    const one = foldedPath(rule).replace(/^\.?\/+/, '')
    if (one === '') return false
    return plain === one || plain === `${one}.md` || plain.startsWith(one.endsWith('/') ? one : `${one}/`)
  })
}

/** Some disks know but one of `Private` and `private`. */
function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
