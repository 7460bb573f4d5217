/** Entry of the thread that looks at the notes of one memory for what is local in them. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import { createAdaptiveStat } from '../files/stat-file.ts'
import { Looker, type Looked } from './local-note-scanner.ts'
import type { NotesFolder } from './privacy-rules.ts'

export interface LookRequest {
  readonly folders: readonly NotesFolder[]
  readonly keptIn: string | undefined
  /** The version that is known there. */
  readonly known: number | undefined
}

let looker: Looker | undefined

const router = {
  /** @returns undefined where it is the one that is known */
  look: threadBase
    .input(type<LookRequest>())
    .handler(async ({ input: { folders, keptIn, known } }): Promise<Looked | undefined> => {
      looker ??= new Looker(keptIn, createAdaptiveStat())
      const looked = await looker.look(folders)
      return looked.version === known ? undefined : looked
    }),
}

export type LookRouter = typeof router

serveThread(router)
