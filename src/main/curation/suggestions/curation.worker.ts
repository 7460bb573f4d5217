/** Entry of the thread that looks through a memory for what is to be done. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import { findCandidates, takeLook, type LookRequest, type NotesRequest } from './scan-notes.ts'

const router = {
  run: threadBase.input(type<LookRequest>()).handler(async function* ({ input, signal }) {
    yield* takeLook(input, signal)
  }),
  candidates: threadBase
    .input(type<NotesRequest & { readonly builtinFile: string }>())
    .handler(({ input, signal }) => findCandidates(input, signal)),
}

export type UpkeepRouter = typeof router

serveThread(router)
