import { repairLink } from '#workspace'
import type { RouterBase } from './procedure.ts'

const userOrigin = { cause: 'user' } as const

export const linksRoutes = ({ os, forAgent, doForAgent }: RouterBase) => ({
  of: forAgent(os.links.of, (agent, input, signal) => agent.links.linksOf(input.path, signal)),
  resolve: forAgent(os.links.resolve, (agent, input) => agent.links.resolve(input.path, input.kind, input)),
  files: forAgent(os.links.files, (agent, _input, signal) => agent.links.files(signal)),
  titles: forAgent(os.links.titles, (agent, _input, signal) => agent.links.titles(signal)),
  block: forAgent(os.links.block, (agent, input, signal) => agent.links.block(input.id, signal)),
  broken: forAgent(os.links.broken, (agent, _input, signal) => agent.links.broken(signal)),
  mend: forAgent(os.links.mend, async (agent, input) => {
    const { workspace } = agent
    const write = await workspace.edit(input.path, userOrigin, (text = '') => repairLink(text, input))
    return { change: write.change ?? null }
  }),
  names: forAgent(os.links.names, (agent, input, signal) => agent.links.names(input.path, input.typed, signal)),
  planMove: forAgent(os.links.planMove, (agent, { from, to }) => agent.links.planMove({ from, to })),
  move: forAgent(os.links.move, (agent, { from, to, plan }) => agent.links.move({ from, to }, plan, userOrigin)),
  moving: forAgent(os.links.moving, (agent) => agent.batches.running),
  cancelMove: doForAgent(os.links.cancelMove, (agent) => agent.batches.cancel()),
})

export const tagsRoutes = ({ os, forAgent }: RouterBase) => ({
  of: forAgent(os.tags.of, (agent, input, signal) => agent.links.properties(input.path, signal)),
  planRename: forAgent(os.tags.planRename, (agent, { from, to }) => agent.links.planTagRename({ from, to })),
  rename: forAgent(os.tags.rename, (agent, { from, to, plan }) =>
    agent.links.renameTag({ from, to }, plan, userOrigin),
  ),
})
