/** Notes and conversations from elsewhere, and the memory as one file. */
import { findMemories } from '../import/index.ts'
import type { RouterBase } from './base.ts'

export const importRoutes = ({ os, agent }: RouterBase) => ({
  known: os.import.known.handler(() => findMemories()),
  plan: os.import.plan.use(agent).handler(({ context, input }) => context.agent.importer.plan(input.path, input.into)),
  run: os.import.run.use(agent).handler(({ context, input }) => context.agent.importer.run(input.path, input.into)),
  cancel: os.import.cancel.use(agent).handler(({ context }) => {
    context.agent.importer.cancel()
    return {}
  }),
  undo: os.import.undo.use(agent).handler(async ({ context, input }) => {
    await context.agent.importer.undo(input.paths)
    return {}
  }),
  pack: os.import.pack.use(agent).handler(async ({ context, input }) => {
    const { importer, history } = context.agent
    if (!input.withHistory || !history) return importer.pack()
    await history.settle()
    return importer.pack(history.repository)
  }),
})
