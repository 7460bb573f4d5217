/** Forgetting for good. */
import type { RouterBase } from './procedure.ts'

export const forgetRoutes = ({ os, app }: RouterBase) => ({
  find: os.forget.find.handler(async ({ input: { agent, ...request }, signal }) => {
    const months = await app.ledger.months()
    const models = [...new Set(months.map(({ model }) => model))].filter((model) => model !== 'offline')
    const { embedding, ...found } = await app.agents.forgetting.find(agent, request, signal)
    // The texts themselves went to a model of embeddings.
    return { ...found, models: embedding === undefined ? models : [...models, embedding] }
  }),
  run: os.forget.run.handler(async function* ({ input: { agent, words, lines, keep } }) {
    yield* app.agents.forgetting.run(agent, { texts: [words, ...lines], keep })
  }),
  stop: os.forget.stop.handler(({ input }) => {
    app.agents.forgetting.stop(input.agent)
    return {}
  }),
})
