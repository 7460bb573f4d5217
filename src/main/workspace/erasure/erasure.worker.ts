/** Entry of the thread that forgets, and finds what would be forgotten: it reads everything that is kept. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import { forget, resumeForgetting, type ForgetRequest } from './erase.ts'
import { Phrase } from './erase-pattern.ts'
import { scan } from './find-occurrences.ts'
import type { ForgetFolders } from './erasure-stores.ts'

const stopping = new AbortController()

const router = {
  /** Told to the end, also when it was stopped: `stop` ends it after the file at hand. */
  run: threadBase.input(type<{ folders: ForgetFolders; request: ForgetRequest }>()).handler(async function* ({
    input: { folders, request },
  }) {
    yield* forget(folders, request, stopping.signal)
  }),
  stop: threadBase.handler(() => stopping.abort()),
  resume: threadBase.input(type<ForgetFolders>()).handler(({ input }) => resumeForgetting(input)),
  find: threadBase
    .input(type<{ folders: ForgetFolders; texts: readonly string[] }>())
    .handler(({ input: { folders, texts }, signal }) => scan(folders, new Phrase(texts), signal)),
}

export type ForgetRouter = typeof router

serveThread(router)
