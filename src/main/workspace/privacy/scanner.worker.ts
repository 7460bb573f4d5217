/** Worker that scans the notes of one memory for local text. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import { createAdaptiveStat } from '../files/stat-file.ts'
import { LocalNoteScanner, type ScanResult } from './local-note-scanner.ts'
import type { NotesFolder } from './privacy-rules.ts'

export interface ScanRequest {
  readonly folders: readonly NotesFolder[]
  readonly keptIn: string | undefined
  /** Version of the caller's result. */
  readonly known: number | undefined
}

let looker: LocalNoteScanner | undefined

const router = {
  /** Returns undefined if the version is `known`. */
  look: threadBase
    .input(type<ScanRequest>())
    .handler(async ({ input: { folders, keptIn, known } }): Promise<ScanResult | undefined> => {
      looker ??= new LocalNoteScanner(keptIn, createAdaptiveStat())
      const looked = await looker.scan(folders)
      return looked.version === known ? undefined : looked
    }),
}

export type ScannerRouter = typeof router

serveThread(router)
