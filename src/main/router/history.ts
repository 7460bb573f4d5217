/** Who changed what. */
import type { RouterBase } from './base.ts'

export const historyRoutes = ({ os, agent }: RouterBase) => ({
  timeline: os.history.timeline.use(agent).handler(({ context, input }) => context.agent.recorded.entries(input)),
  diff: os.history.diff
    .use(agent)
    .handler(({ context, input }) => context.agent.recorded.diff(input.commit, input.path)),
  blame: os.history.blame.use(agent).handler(({ context, input }) => context.agent.recorded.blame(input.path)),
  restore: os.history.restore
    .use(agent)
    .handler(({ context, input }) => context.agent.restoreVersion(input.commit, input.path)),
})
