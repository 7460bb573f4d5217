/** Entry of the thread that reads what is imported and packs what is exported: either can be large. */
import { type } from '@orpc/server'
import { AppError } from '#shared/util/errors.ts'
import { serveThread, threadBase } from '#platform'
import type { Roots } from '#workspace'
import { packWorkspace } from '../export/pack.ts'
import { prepare, type Wanted } from './prepare-import.ts'
import { copyAttachment, openSource, type Source } from './read-source.ts'

interface Task extends Wanted {
  /** Of what is imported, absolute. */
  readonly path: string
  readonly roots: Pick<Roots, 'workspace' | 'forbidden'>
}

/** What is imported; a thread is of one import. */
let source: Source | undefined

const router = {
  /** Opens it at the first call, and looks at the workspace anew with each. */
  prepare: threadBase.input(type<Task>()).handler(async ({ input: { path, roots, ...wanted } }) => {
    source ??= await openSource(path)
    return prepare(source, wanted, roots)
  }),
  copy: threadBase.input(type<{ from: string; to: string }>()).handler(async ({ input: { from, to } }) => {
    if (!source) throw new AppError('file_not_found', `there is no ${from}`, { path: from })
    await copyAttachment(source, from, to)
  }),
  close: threadBase.handler(() => source?.close()),
  pack: threadBase
    .input(
      type<{
        workspace: string
        forbidden: readonly string[]
        local: readonly string[]
        note: string | undefined
        upkeep: string | undefined
        repository: string | undefined
      }>(),
    )
    .handler(({ input: { workspace, forbidden, local, ...beside } }) =>
      packWorkspace(workspace, { forbidden, local }, beside),
    ),
}

export type ImportRouter = typeof router

serveThread(router)
