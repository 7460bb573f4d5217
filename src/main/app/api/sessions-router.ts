/** Conversations as they are kept. */
import { usageOfEntries } from '#agent'
import type { RouterBase } from './procedure.ts'

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
