/** Entry of the thread that looks through a memory for what is to be done. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '../thread/index.ts'
import { takeLook, type LookRequest } from './take-look.ts'

const router = {
  run: threadBase.input(type<LookRequest>()).handler(async function* ({ input, signal }) {
    yield* takeLook(input, signal)
  }),
}

export type UpkeepRouter = typeof router

serveThread(router)
