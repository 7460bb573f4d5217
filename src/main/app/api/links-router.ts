import { repairLink } from '#workspace'
import type { RouterBase } from './procedure.ts'

const userOrigin = { cause: 'user' } as const

export const linksRoutes = ({ os, agent }: RouterBase) => ({
  of: os.links.of.use(agent).handler(({ context, input, signal }) => context.agent.links.linksOf(input.path, signal)),
  resolve: os.links.resolve
    .use(agent)
    .handler(({ context, input }) => context.agent.links.resolve(input.path, input.kind, input)),
  files: os.links.files.use(agent).handler(({ context, signal }) => context.agent.links.files(signal)),
  titles: os.links.titles.use(agent).handler(({ context, signal }) => context.agent.links.titles(signal)),
  block: os.links.block.use(agent).handler(({ context, input, signal }) => context.agent.links.block(input.id, signal)),
  broken: os.links.broken.use(agent).handler(({ context, signal }) => context.agent.links.broken(signal)),
  mend: os.links.mend.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    const write = await workspace.edit(input.path, userOrigin, (text = '') => repairLink(text, input))
    return { patch: (await workspace.describe(write)).patch }
  }),
  names: os.links.names
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.links.names(input.path, input.typed, signal)),
  planMove: os.links.planMove
    .use(agent)
    .handler(({ context, input: { from, to } }) => context.agent.links.planMove({ from, to })),
  move: os.links.move
    .use(agent)
    .handler(({ context, input: { from, to, plan } }) => context.agent.links.move({ from, to }, plan, userOrigin)),
  moving: os.links.moving.use(agent).handler(({ context }) => context.agent.batches.running),
  cancelMove: os.links.cancelMove.use(agent).handler(({ context }) => {
    context.agent.batches.cancel()
    return {}
  }),
})

export const tagsRoutes = ({ os, agent }: RouterBase) => ({
  of: os.tags.of.use(agent).handler(({ context, input, signal }) => context.agent.links.properties(input.path, signal)),
  planRename: os.tags.planRename
    .use(agent)
    .handler(({ context, input: { from, to } }) => context.agent.links.planTagRename({ from, to })),
  rename: os.tags.rename
    .use(agent)
    .handler(({ context, input: { from, to, plan } }) => context.agent.links.renameTag({ from, to }, plan, userOrigin)),
})
