/** What notes say of themselves, and another name for a tag. */
import type { RouterBase } from './procedure.ts'

const user = { cause: 'user' } as const

export const tagsRoutes = ({ os, agent }: RouterBase) => ({
  list: os.tags.list.use(agent).handler(({ context, signal }) => context.agent.links.tags(signal)),
  of: os.tags.of.use(agent).handler(({ context, input, signal }) => context.agent.links.properties(input.path, signal)),
  planRename: os.tags.planRename
    .use(agent)
    .handler(({ context, input: { from, to } }) => context.agent.links.planTagRename({ from, to })),
  rename: os.tags.rename
    .use(agent)
    .handler(({ context, input: { from, to, plan } }) => context.agent.links.renameTag({ from, to }, plan, user)),
})
