import type { RouterBase } from './procedure.ts'

export const suggestionsRoutes = ({ os, agent }: RouterBase) => ({
  list: os.upkeep.list.use(agent).handler(async ({ context: { agent } }) => ({
    ...(await agent.upkeep.list()),
    nextAt: await agent.scheduler.next(),
  })),
  count: os.upkeep.count.use(agent).handler(async ({ context }) => ({ open: await context.agent.upkeep.count() })),
  look: os.upkeep.look.use(agent).handler(({ context }) => context.agent.upkeep.scan()),
  stop: os.upkeep.stop.use(agent).handler(({ context }) => {
    context.agent.upkeep.stop()
    return {}
  }),
  estimate: os.upkeep.estimate.use(agent).handler(({ context, signal }) => context.agent.upkeep.estimate(signal)),
  review: os.upkeep.review.use(agent).handler(({ context }) => context.agent.upkeep.review('user')),
  request: os.upkeep.request.use(agent).handler(({ context, input }) => context.agent.reviewRequest(input.number)),
  preview: os.upkeep.preview.use(agent).handler(({ context, input }) => context.agent.upkeep.preview(input.ids)),
  turn: os.upkeep.turn.use(agent).handler(async ({ context, input }) => {
    await context.agent.upkeep.swapSides(input.id)
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
    const { undone, stuck } = await context.agent.upkeep.undo(input.acceptance)
    return { undone, stuck: [...stuck] }
  }),
  flag: os.upkeep.flag.use(agent).handler(async ({ context, input }) => ({
    id: await context.agent.upkeep.flag(input.path, input.line, input.fault, input.query),
  })),
})
