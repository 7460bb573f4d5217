/** Saved questions. */
import type { RouterBase } from './procedure.ts'

export const checksRoutes = ({ os, agent }: RouterBase) => ({
  list: os.checks.list.use(agent).handler(({ context }) => context.agent.checks.list()),
  add: os.checks.add.use(agent).handler(({ context, input }) => context.agent.checks.add(input.question)),
  remove: os.checks.remove.use(agent).handler(async ({ context, input }) => ({
    removed: await context.agent.checks.remove(input.id),
  })),
  run: os.checks.run.use(agent).handler(({ context }) => context.agent.checks.run('asked')),
  stop: os.checks.stop.use(agent).handler(({ context }) => {
    context.agent.checks.stop()
    return {}
  }),
  import: os.checks.import.use(agent).handler(({ context, input }) => context.agent.checks.import(input.text)),
  export: os.checks.export.use(agent).handler(async ({ context }) => ({ text: await context.agent.checks.export() })),
})
