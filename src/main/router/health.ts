/** What does not work. */
import type { RouterBase } from './base.ts'

export const healthRoutes = ({ app, os, agent }: RouterBase) => ({
  problems: os.health.problems.handler(({ input }) => app.health.problems(input.agent)),
  tryAgain: os.health.tryAgain.use(agent).handler(async ({ context }) => {
    await context.agent.memory.tryProvider()
    return {}
  }),
})
