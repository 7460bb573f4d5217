import { repairLink } from '#workspace'
import type { RouterBase } from './procedure.ts'

const userOrigin = { cause: 'user' } as const

export const linksRoutes = ({ os, forAgent, doForAgent }: RouterBase) => ({
  of: forAgent(os.links.of, (agent, input) => agent.links.linksOf(input.path)),
  resolve: forAgent(os.links.resolve, (agent, input) => agent.links.resolve(input.path, input.kind, input)),
  files: forAgent(os.links.files, (agent) => agent.links.files()),
  titles: forAgent(os.links.titles, (agent) => agent.links.titles()),
  block: forAgent(os.links.block, (agent, input) => agent.links.block(input.id)),
  broken: forAgent(os.links.broken, (agent) => agent.links.broken()),
  mend: forAgent(os.links.mend, async (agent, input) => {
    const { workspace } = agent
    const write = await workspace.edit(input.path, userOrigin, (text = '') => repairLink(text, input))
    return { change: write.change ?? null }
  }),
  names: forAgent(os.links.names, (agent, input) => agent.links.names(input.path, input.typed)),
  planMove: forAgent(os.links.planMove, (agent, { from, to }) => agent.links.planMove({ from, to })),
  move: forAgent(os.links.move, (agent, { from, to, plan }) => agent.links.move({ from, to }, plan, userOrigin)),
  moving: forAgent(os.links.moving, (agent) => agent.batches.running),
  cancelMove: doForAgent(os.links.cancelMove, (agent) => agent.batches.cancel()),
})

export const tagsRoutes = ({ os, forAgent }: RouterBase) => ({
  of: forAgent(os.tags.of, (agent, input) => agent.links.properties(input.path)),
  planRename: forAgent(os.tags.planRename, (agent, { from, to }) => agent.links.planTagRename({ from, to })),
  rename: forAgent(os.tags.rename, (agent, { from, to, plan }) =>
    agent.links.renameTag({ from, to }, plan, userOrigin),
  ),
})
