/** Conversations as they happen. */
import type { RouterBase } from './procedure.ts'

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
    context.agent.chat.permit(input.id, input.decision)
    return {}
  }),
  models: os.chat.models.handler(({ input }) => app.models.list(app.agents.settingsOf(input.agent).model, input.fresh)),
})
