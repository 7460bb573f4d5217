/** What fills a model's window. */
import type { RouterBase } from './procedure.ts'

export const contextRoutes = ({ os, agent }: RouterBase) => ({
  request: os.context.request
    .use(agent)
    .handler(({ context, input }) => context.agent.sessions.sentRequest(input.session, input.number)),
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
