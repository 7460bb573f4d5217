/** Entry of the thread that compares long texts. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '../workers/serve-worker.ts'
import { changesOf } from './compare-lines.ts'
import { mergeBoth, mergeTexts } from './merge-texts.ts'
import { describeChange, takeBack } from './patch.ts'

export interface Described {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly isKept: boolean
}

export interface Merged {
  readonly base: string
  readonly mine: string
  readonly theirs: string
  readonly keepsBoth: boolean
}

const router = {
  describe: threadBase
    .input(type<Described>())
    .handler(({ input: { path, before, after, isKept } }) => describeChange(path, before, after, { isKept })),
  takeBack: threadBase
    .input(type<{ text: string; patch: string }>())
    .handler(({ input }) => takeBack(input.text, input.patch)),
  changes: threadBase
    .input(type<{ before: string; after: string }>())
    .handler(({ input: { before, after } }) => changesOf(before, after)),
  merge: threadBase
    .input(type<Merged>())
    .handler(({ input: { base, mine, theirs, keepsBoth } }) =>
      (keepsBoth ? mergeBoth : mergeTexts)(base, mine, theirs),
    ),
}

export type DiffRouter = typeof router

serveThread(router)
