/** Entry of the thread that reads what is imported and packs what is exported: either can be large. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '../thread/index.ts'
import { packWorkspace } from './pack.ts'
import { readSource } from './read-source.ts'

const router = {
  read: threadBase.input(type<string>()).handler(({ input }) => readSource(input)),
  pack: threadBase
    .input(
      type<{
        workspace: string
        forbidden: readonly string[]
        upkeep: string | undefined
        repository: string | undefined
      }>(),
    )
    .handler(({ input: { workspace, forbidden, ...beside } }) => packWorkspace(workspace, forbidden, beside)),
}

export type ImportRouter = typeof router

serveThread(router)
