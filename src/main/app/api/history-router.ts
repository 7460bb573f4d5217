import type { HistoryEntry } from '#shared/contract/index.ts'
import { seenDiff, seenEntries } from './seen-history.ts'
import { privacySnapshotFor } from './client-visibility.ts'
import type { RouterBase } from './procedure.ts'

export const historyRoutes = ({ app, os, agent }: RouterBase) => ({
  timeline: os.history.timeline.use(agent).handler(async ({ context, input }) => {
    const { requireHistory } = context.agent
    if (!input.forProgram) return requireHistory.entries({ ...input, groupAdopted: true })
    const snapshot = await privacySnapshotFor(app, context.agent, input.forProgram)
    const visibleEntries: HistoryEntry[] = []
    // Read further pages until `limit` visible entries are found: hidden ones do not count.
    for (let query: Parameters<typeof requireHistory.entries>[0] = input; ;) {
      const entries = await requireHistory.entries(query)
      visibleEntries.push(...(await seenEntries(entries, context.agent, snapshot)))
      if (visibleEntries.length >= input.limit || entries.length < input.limit) return visibleEntries
      query = { ...input, from: undefined, before: entries.at(-1)?.commit }
    }
  }),
  diff: os.history.diff.use(agent).handler(async ({ context, input }) => {
    const change = await context.agent.requireHistory.diff(input.commit, input.path)
    const snapshot = input.forProgram ? await privacySnapshotFor(app, context.agent, input.forProgram) : undefined
    if (!snapshot) return change
    return { patch: await seenDiff(input, change.patch, context.agent, snapshot), before: null, after: null }
  }),
  commits: os.history.commits
    .use(agent)
    .handler(({ context, input: { path, ...page }, signal }) => context.agent.commits.log(path, page, signal)),
  commitDiff: os.history.commitDiff
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.commits.diff(input.path, input.commit, signal)),
  blame: os.history.blame.use(agent).handler(({ context, input }) => context.agent.requireHistory.blame(input.path)),
  standing: os.history.standing
    .use(agent)
    .handler(({ context, input }) => context.agent.revertStatus(input.path, input.patch)),
  accepted: os.history.accepted.use(agent).handler(({ context }) => context.agent.reviewedHunks.list()),
  accept: os.history.accept.use(agent).handler(async ({ context, input }) => {
    await context.agent.reviewedHunks.accept(input.hunk)
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

export const erasureRoutes = ({ os, app }: RouterBase) => ({
  find: os.forget.find.handler(async ({ input: { agent, ...request }, signal }) => {
    const months = await app.ledger.months()
    const models = [...new Set(months.map(({ model }) => model))].filter((model) => model !== 'offline')
    const { embedding, ...occurrences } = await app.agents.erasure.find(agent, request, signal)
    // The embedding model also received these texts.
    return { ...occurrences, models: embedding === undefined ? models : [...models, embedding] }
  }),
  run: os.forget.run.handler(async function* ({ input: { agent, words, lines, keep } }) {
    yield* app.agents.erasure.run(agent, { texts: [words, ...lines], keep })
  }),
  stop: os.forget.stop.handler(({ input }) => {
    app.agents.erasure.stop(input.agent)
    return {}
  }),
})
