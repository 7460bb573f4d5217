/** What links to what, and moves that keep it so. */
import { linkMention, mendLink } from '#workspace'
import type { RouterBase } from './procedure.ts'

const user = { cause: 'user' } as const

export const linksRoutes = ({ os, agent }: RouterBase) => ({
  of: os.links.of.use(agent).handler(({ context, input, signal }) => context.agent.links.of(input.path, signal)),
  mentions: os.links.mentions
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.links.mentions(input.path, signal)),
  linkMention: os.links.linkMention.use(agent).handler(async ({ context, input }) => {
    const { workspace, links } = context.agent
    const link = await links.write(input.path, input.to, { label: input.words })
    const write = await workspace.edit(input.path, user, (text = '') => linkMention(text, { ...input, link }))
    return { patch: (await workspace.describe(write)).patch }
  }),
  around: os.links.around
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.links.around(input.path, input.steps, signal)),
  resolve: os.links.resolve
    .use(agent)
    .handler(({ context, input }) => context.agent.links.resolve(input.path, input.kind, input)),
  files: os.links.files.use(agent).handler(({ context, signal }) => context.agent.links.files(signal)),
  titles: os.links.titles.use(agent).handler(({ context, signal }) => context.agent.links.titles(signal)),
  block: os.links.block.use(agent).handler(({ context, input, signal }) => context.agent.links.block(input.id, signal)),
  broken: os.links.broken.use(agent).handler(({ context, signal }) => context.agent.links.broken(signal)),
  mend: os.links.mend.use(agent).handler(async ({ context, input }) => {
    const { workspace } = context.agent
    const write = await workspace.edit(input.path, user, (text = '') => mendLink(text, input))
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
    .handler(({ context, input: { from, to, plan } }) => context.agent.links.move({ from, to }, plan, user)),
  moving: os.links.moving.use(agent).handler(({ context }) => context.agent.batches.moving),
  cancelMove: os.links.cancelMove.use(agent).handler(({ context }) => {
    context.agent.batches.cancel()
    return {}
  }),
})
