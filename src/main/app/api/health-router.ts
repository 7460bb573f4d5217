/** What does not work. */
import type { RouterBase } from './procedure.ts'

export const healthRoutes = ({ app, os, agent }: RouterBase) => ({
  problems: os.health.problems.handler(({ input }) => app.health.problems(input.agent)),
  ended: os.health.ended.use(agent).handler(({ context }) => (context.agent.ended ? [context.agent.ended] : [])),
  endedSeen: os.health.endedSeen.use(agent).handler(({ context, input }) => {
    if (context.agent.ended?.id === input.id) context.agent.ended = undefined
    return {}
  }),
  tryAgain: os.health.tryAgain.use(agent).handler(async ({ context }) => {
    await context.agent.memory.tryProvider()
    return {}
  }),
})
