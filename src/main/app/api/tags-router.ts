/** What notes say of themselves, and another name for a tag. */
import type { RouterBase } from './procedure.ts'

const user = { cause: 'user' } as const

export const tagsRoutes = ({ os, agent }: RouterBase) => ({
  of: os.tags.of.use(agent).handler(({ context, input, signal }) => context.agent.links.properties(input.path, signal)),
  planRename: os.tags.planRename
    .use(agent)
    .handler(({ context, input: { from, to } }) => context.agent.links.planTagRename({ from, to })),
  rename: os.tags.rename
    .use(agent)
    .handler(({ context, input: { from, to, plan } }) => context.agent.links.renameTag({ from, to }, plan, user)),
  renames: os.tags.renames.use(agent).handler(({ context }) => context.agent.links.tagRenames()),
  undoRename: os.tags.undoRename.use(agent).handler(async ({ context, input }) => {
    await context.agent.links.undo(input.undo, { ...user, isUndo: true })
    return {}
  }),
})
