/** Finds the local text of all notes. Scans before every request to a remote model, as any program may mark a note. */
import { visibilityOf, redactLocal } from '#shared/markdown/visibility.ts'
import { createAdaptiveStat } from '../files/stat-file.ts'
import { ScannerWorker } from './scanner-worker.ts'
import { LocalNoteScanner, type ScanResult } from './local-note-scanner.ts'
import { LocalTextMatcher } from './local-text-matcher.ts'
import { findRule, applyRule, type LocalNote, type NotesFolder } from './privacy-rules.ts'

/** Visibility by the marks in a given text and the settings of its path. */
export interface Marks {
  of(path: string, text: string): LocalNote
  /** Returns the text with a placeholder for each local line, and the number of placeholders. */
  shown(path: string, text: string): { readonly text: string; readonly redactedCount: number }
}

/** Snapshot of the local text of all notes. */
export interface Snapshot extends Marks {
  readonly net: LocalTextMatcher
  /** Notes with local text, by path. */
  readonly notes: ReadonlyMap<string, LocalNote>
}

export interface LocalNotesOptions {
  /** Cache file that spares the next process reading; its folder may be missing. */
  readonly keptIn?: string
  /** Entry of the worker for frequent scans; without it, they run in this thread. */
  readonly entry?: URL
}

type Kept = Pick<Snapshot, 'net' | 'notes'>

export class LocalNotes {
  readonly #folders: () => readonly NotesFolder[]
  readonly #looker: LocalNoteScanner
  readonly #thread: ScannerWorker | undefined
  #kept: (Kept & { readonly of: ScanResult }) | undefined
  #running: Promise<Snapshot> | undefined
  #next: Promise<Snapshot> | undefined

  constructor(folders: () => readonly NotesFolder[], { keptIn, entry }: LocalNotesOptions = {}) {
    this.#folders = folders
    this.#looker = new LocalNoteScanner(keptIn, createAdaptiveStat())
    this.#thread = entry && new ScannerWorker(entry, keptIn)
  }

  /** Reads no file. */
  marks(): Marks {
    return marksBy(this.#folders())
  }

  /** Returns a snapshot that is at least as new as this call. */
  look(): Promise<Snapshot> {
    if (!this.#running) return this.#start()
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start())
    return this.#next
  }

  /** Returns the last snapshot, which may be outdated. */
  async last(): Promise<Snapshot> {
    const { net, notes } = this.#kept ?? (await (this.#running ?? this.#start()))
    return { net, notes, ...this.marks() }
  }

  async close(): Promise<void> {
    await this.#thread?.close()
  }

  #start(): Promise<Snapshot> {
    this.#next = undefined
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #look(): Promise<Snapshot> {
    const folders = this.#folders()
    const looked = await (this.#thread?.isWorthIt() ? this.#thread.scan(folders) : this.#looker.scan(folders))
    if (this.#kept?.of !== looked) this.#kept = { of: looked, ...keptOf(looked) }
    const { net, notes } = this.#kept
    return { net, notes, ...marksBy(folders) }
  }
}

function keptOf({ local }: ScanResult): Kept {
  return {
    notes: new Map(local.map(({ path, note }) => [path, note])),
    net: new LocalTextMatcher(local.flatMap(({ path, lines }) => lines.map((text) => ({ path, text })))),
  }
}

export function marksBy(folders: readonly NotesFolder[]): Marks {
  const ruleOf = (path: string) => {
    const folder = folders.findLast(({ prefix }) => prefix !== '' && path.startsWith(prefix)) ?? folders[0]
    return folder && findRule(path.slice(folder.prefix.length), folder.local)
  }
  const of = (path: string, text: string) => applyRule(visibilityOf(text), ruleOf(path))
  return { of, shown: (path, text) => redactLocal(text, of(path, text)) }
}
