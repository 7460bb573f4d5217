import type { HistoryEntry } from '#shared/contract/index.ts'
import { seenDiff, seenEntries } from './seen-history.ts'
import { sightOf } from './client-visibility.ts'
import type { RouterBase } from './procedure.ts'

export const historyRoutes = ({ app, os, agent }: RouterBase) => ({
  timeline: os.history.timeline.use(agent).handler(async ({ context, input }) => {
    const { recorded } = context.agent
    if (!input.forProgram) return recorded.entries({ ...input, isBrief: true })
    const sight = await sightOf(app, context.agent, input.forProgram)
    const seen: HistoryEntry[] = []
    // Read further pages until `limit` visible entries are found: hidden ones do not count.
    for (let asked: Parameters<typeof recorded.entries>[0] = input; ;) {
      const entries = await recorded.entries(asked)
      seen.push(...(await seenEntries(entries, context.agent, sight)))
      if (seen.length >= input.limit || entries.length < input.limit) return seen
      asked = { ...input, from: undefined, before: entries.at(-1)?.commit }
    }
  }),
  diff: os.history.diff.use(agent).handler(async ({ context, input }) => {
    const found = await context.agent.recorded.diff(input.commit, input.path)
    const sight = input.forProgram ? await sightOf(app, context.agent, input.forProgram) : undefined
    if (!sight) return found
    return { patch: await seenDiff(input, found.patch, context.agent, sight), before: null, after: null }
  }),
  commits: os.history.commits
    .use(agent)
    .handler(({ context, input: { path, ...page }, signal }) => context.agent.commits.of(path, page, signal)),
  commitDiff: os.history.commitDiff
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.commits.diff(input.path, input.commit, signal)),
  blame: os.history.blame.use(agent).handler(({ context, input }) => context.agent.recorded.blame(input.path)),
  standing: os.history.standing
    .use(agent)
    .handler(({ context, input }) => context.agent.standing(input.path, input.patch)),
  accepted: os.history.accepted.use(agent).handler(({ context }) => context.agent.accepted.list()),
  accept: os.history.accept.use(agent).handler(async ({ context, input }) => {
    await context.agent.accepted.accept(input.hunk)
    return {}
  }),
  restore: os.history.restore
    .use(agent)
    .handler(({ context, input }) => context.agent.restoreVersion(input.commit, input.path)),
  batches: os.history.batches.use(agent).handler(({ context }) => context.agent.batches.list()),
  undoBatch: os.history.undoBatch
    .use(agent)
    .handler(({ context, input }) => context.agent.batches.undo(input.undo, { cause: 'user', isUndo: true })),
})

export const forgetRoutes = ({ os, app }: RouterBase) => ({
  find: os.forget.find.handler(async ({ input: { agent, ...request }, signal }) => {
    const months = await app.ledger.months()
    const models = [...new Set(months.map(({ model }) => model))].filter((model) => model !== 'offline')
    const { embedding, ...found } = await app.agents.forgetting.find(agent, request, signal)
    // The embedding model also received these texts.
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
