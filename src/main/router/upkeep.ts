/** Proposals that keep memory true. */
import type { RouterBase } from './base.ts'

export const upkeepRoutes = ({ os, agent }: RouterBase) => ({
  list: os.upkeep.list.use(agent).handler(({ context }) => context.agent.upkeep.list()),
  count: os.upkeep.count.use(agent).handler(async ({ context }) => ({ open: await context.agent.upkeep.count() })),
  look: os.upkeep.look.use(agent).handler(({ context }) => context.agent.upkeep.look()),
  stop: os.upkeep.stop.use(agent).handler(({ context }) => {
    context.agent.upkeep.stop()
    return {}
  }),
  accept: os.upkeep.accept.use(agent).handler(({ context, input }) => context.agent.upkeep.accept(input.ids)),
  edit: os.upkeep.edit.use(agent).handler(async ({ context, input }) => {
    await context.agent.upkeep.edit(input.id, input.after)
    return {}
  }),
  refuse: os.upkeep.refuse.use(agent).handler(async ({ context, input }) => {
    await context.agent.upkeep.refuse(input.ids)
    return {}
  }),
  snooze: os.upkeep.snooze.use(agent).handler(async ({ context, input }) => {
    await context.agent.upkeep.snooze(input.ids, input.until)
    return {}
  }),
  reopen: os.upkeep.reopen.use(agent).handler(async ({ context, input }) => {
    await context.agent.upkeep.reopen(input.ids)
    return {}
  }),
  undo: os.upkeep.undo.use(agent).handler(async ({ context, input }) => {
    await context.agent.upkeep.undo(input.acceptance)
    return {}
  }),
  flag: os.upkeep.flag.use(agent).handler(async ({ context, input }) => ({
    id: await context.agent.upkeep.flag(input.path, input.line, input.fault),
  })),
})
