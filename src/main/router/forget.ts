/** Forgetting for good. */
import type { RouterBase } from './base.ts'

export const forgetRoutes = ({ os, app }: RouterBase) => ({
  find: os.forget.find.handler(async ({ input: { agent, ...request }, signal }) => {
    const months = await app.ledger.months()
    const models = [...new Set(months.map(({ model }) => model))].filter((model) => model !== 'offline')
    return { ...(await app.agents.findToForget(agent, request, signal)), models }
  }),
  run: os.forget.run.handler(async function* ({ input: { agent, words, lines, keep } }) {
    yield* app.agents.forget(agent, { texts: [words, ...lines], keep })
  }),
  stop: os.forget.stop.handler(({ input }) => {
    app.agents.stopForgetting(input.agent)
    return {}
  }),
})
