/** Entry of the thread that finds and replaces in all files of a workspace. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import type { Wanted } from './text-matches.ts'
import { rewriteFile, searchFiles, type FoundFile, type Where } from './search-files.ts'

const router = {
  search: threadBase.input(type<Where & { wanted: Wanted }>()).handler(async function* ({ input, signal }) {
    yield* searchFiles(input, input.wanted, signal)
  }),
  rewrite: threadBase
    .input(type<Where & { wanted: Wanted & { replacement: string }; file: Pick<FoundFile, 'path' | 'hash'> }>())
    .handler(({ input }) => rewriteFile(input, input.wanted, input.file)),
}

export type FindRouter = typeof router

serveThread(router)
