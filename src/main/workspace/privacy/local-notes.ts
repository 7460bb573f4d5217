/**
 * Which notes, sections and lines of a memory stay on this machine (M64), as the files have it at this moment: looked at
 * anew for every request that leaves, for somebody may have marked a note a moment ago, in whatever program.
 */
import { visibilityOf, redactLocal } from '#shared/markdown/visibility.ts'
import { createAdaptiveStat } from '../files/stat-file.ts'
import { LookThread } from './scanner-worker.ts'
import { Looker, type Looked } from './local-note-scanner.ts'
import { LocalNet } from './local-text-matcher.ts'
import { findRule, applyRule, type LocalNote, type NotesFolder } from './privacy-rules.ts'

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

export interface LocalNotesOptions {
  /** A file for what the next process need not read; its folder is there or not. */
  readonly keptIn?: string
  /** Of the thread that looks where it is done often; without one it is done in place. */
  readonly entry?: URL
}

type Kept = Pick<Sight, 'net' | 'notes'>

export class LocalNotes {
  readonly #folders: () => readonly NotesFolder[]
  readonly #looker: Looker
  readonly #thread: LookThread | undefined
  #kept: (Kept & { readonly of: Looked }) | undefined
  #running: Promise<Sight> | undefined
  #next: Promise<Sight> | undefined

  constructor(folders: () => readonly NotesFolder[], { keptIn, entry }: LocalNotesOptions = {}) {
    this.#folders = folders
    this.#looker = new Looker(keptIn, createAdaptiveStat())
    this.#thread = entry && new LookThread(entry, keptIn)
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

  /** As it was when it was looked at last: for what need not be of this moment. */
  async last(): Promise<Sight> {
    const { net, notes } = this.#kept ?? (await (this.#running ?? this.#start()))
    return { net, notes, ...this.marks() }
  }

  async close(): Promise<void> {
    await this.#thread?.close()
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
    const looked = await (this.#thread?.isWorthIt() ? this.#thread.look(folders) : this.#looker.look(folders))
    if (this.#kept?.of !== looked) this.#kept = { of: looked, ...keptOf(looked) }
    const { net, notes } = this.#kept
    return { net, notes, ...marksBy(folders) }
  }
}

function keptOf({ local }: Looked): Kept {
  return {
    notes: new Map(local.map(({ path, note }) => [path, note])),
    net: new LocalNet(local.flatMap(({ path, lines }) => lines.map((text) => ({ path, text })))),
  }
}

/** By what texts say of themselves, and by the settings of these folders. */
export function marksBy(folders: readonly NotesFolder[]): Marks {
  const ruleOf = (path: string) => {
    const folder = folders.findLast(({ prefix }) => prefix !== '' && path.startsWith(prefix)) ?? folders[0]
    return folder && findRule(path.slice(folder.prefix.length), folder.local)
  }
  const of = (path: string, text: string) => applyRule(visibilityOf(text), ruleOf(path))
  return { of, shown: (path, text) => redactLocal(text, of(path, text)) }
}
