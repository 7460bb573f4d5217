import type { RouterBase } from './procedure.ts'
import { usageOfEntries } from '#agent'

export const chatRoutes = ({ app, os, agent }: RouterBase) => ({
  send: os.chat.send.use(agent).handler(async ({ context, input }) => {
    const { session, queued } = await context.agent.chat.send(input)
    return { session, queued }
  }),
  retry: os.chat.retry.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.retry(input.session, input.message, input.model)
    return {}
  }),
  resume: os.chat.resume.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.resume(input.session)
    return {}
  }),
  watch: os.chat.watch
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.chat.watch(input.session, signal)),
  retryNow: os.chat.retryNow.use(agent).handler(({ context, input }) => {
    context.agent.chat.retryNow(input.session)
    return {}
  }),
  stop: os.chat.stop.use(agent).handler(({ context, input }) => ({ stopped: context.agent.chat.stop(input.session) })),
  unqueue: os.chat.unqueue.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.unqueue(input.session, input.id)
    return {}
  }),
  sendQueued: os.chat.sendQueued.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.sendQueued(input.session)
    return {}
  }),
  permit: os.chat.permit.use(agent).handler(({ context, input }) => {
    context.agent.chat.answerPermission(input.id, input.decision)
    return {}
  }),
  models: os.chat.models.handler(({ input }) => app.models.list(app.agents.settingsOf(input.agent).model, input.fresh)),
})

export const contextRoutes = ({ os, agent }: RouterBase) => ({
  request: os.context.request
    .use(agent)
    .handler(({ context, input }) => context.agent.sessions.requestWithWire(input.session, input.number)),
  report: os.context.report
    .use(agent)
    .handler(({ context, input }) => context.agent.chat.meter.report(input.session, input.step)),
  timeline: os.context.timeline
    .use(agent)
    .handler(({ context, input }) => context.agent.chat.meter.timeline(input.session)),
  event: os.context.event
    .use(agent)
    .handler(({ context, input }) => context.agent.chat.meter.event(input.session, input.id)),
  text: os.context.text.use(agent).handler(async ({ context, input }) => ({
    text: await context.agent.chat.meter.text(input.session, input.number, input.layer, input.name),
  })),
  difference: os.context.difference.use(agent).handler(async ({ context, input }) => ({
    changes: await context.agent.chat.meter.difference(input.session, input.from, input.to),
  })),
  whatIf: os.context.whatIf
    .use(agent)
    .handler(({ context, input }) => context.agent.chat.meter.whatIf(input.session, input.change)),
})

export const sessionsRoutes = ({ app, os, agent }: RouterBase) => ({
  list: os.sessions.list.use(agent).handler(({ context, input }) => context.agent.sessions.list(input.empty)),
  get: os.sessions.get.use(agent).handler(({ context, input }) => context.agent.conversation(input.session)),
  usage: os.sessions.usage
    .use(agent)
    .handler(async ({ context, input }) => usageOfEntries((await context.agent.sessions.get(input.session)).entries)),
  find: os.sessions.find
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.sessions.find(input.query, signal)),
  rename: os.sessions.rename.use(agent).handler(async ({ context, input }) => {
    await context.agent.sessions.rename(input.session, input.name)
    return {}
  }),
  pin: os.sessions.pin.use(agent).handler(async ({ context, input }) => {
    await context.agent.sessions.pin(input.session, input.pinned)
    return {}
  }),
  setWithoutMemory: os.sessions.setWithoutMemory.use(agent).handler(async ({ context, input }) => {
    await (await context.agent.sessions.get(input.session)).setWithoutMemory(input.isWithoutMemory)
    return {}
  }),
  remove: os.sessions.remove.use(agent).handler(async ({ context, input }) => {
    await context.agent.sessions.remove(input.session)
    return {}
  }),
  restore: os.sessions.restore.use(agent).handler(async ({ context, input }) => {
    await context.agent.sessions.restore(input.session)
    return {}
  }),
  export: os.sessions.export
    .use(agent)
    .handler(({ context, input }) => context.agent.sessions.export(input.session, input.format)),
  fork: os.sessions.fork.use(agent).handler(async ({ context, input }) => {
    return { session: await context.agent.sessions.fork(input.session, input.entry, app.now()) }
  }),
  switchTo: os.sessions.switchTo.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.switchTo(input.session, input.entry)
    return {}
  }),
  deleteFrom: os.sessions.deleteFrom.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.deleteFrom(input.session, input.entry)
    return {}
  }),
  undelete: os.sessions.undelete.use(agent).handler(async ({ context, input }) => {
    await context.agent.chat.undelete(input.session, input.entry)
    return {}
  }),
  draft: os.sessions.draft.use(agent).handler(({ context, input }) => context.agent.drafts.get(input.session)),
  saveDraft: os.sessions.saveDraft.use(agent).handler(async ({ context, input }) => {
    await context.agent.drafts.save(input.session, input.draft)
    return {}
  }),
})
