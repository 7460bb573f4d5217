import type { HistoryEntry } from '#shared/contract/index.ts'
import { viewFor } from './client-visibility.ts'
import { perform, type RouterBase } from './procedure.ts'

export const historyRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  timeline: forAgent(os.history.timeline, async (agent, input) => {
    const { requireHistory } = agent
    if (!input.forProgram) return requireHistory.entries({ ...input, groupAdopted: true })
    await agent.workspace.assertExists()
    const view = await viewFor(app, agent, input.forProgram)
    const visible: HistoryEntry[] = []
    // Read further pages until `limit` visible entries are found: hidden ones do not count.
    for (let query: Parameters<typeof requireHistory.entries>[0] = input; ;) {
      const entries = await requireHistory.entries(query)
      const shared = entries.filter(({ now }) => agent.isForPrograms(now))
      visible.push(...(view ? await view.entries(shared) : shared))
      if (visible.length >= input.limit || entries.length < input.limit) return visible
      query = { ...input, from: undefined, before: entries.at(-1)?.commit }
    }
  }),
  diff: forAgent(os.history.diff, async (agent, input) => {
    const change = await agent.requireHistory.diff(input.commit, input.path)
    const view = await viewFor(app, agent, input.forProgram)
    return view ? { patch: await view.diff(input, change.patch), before: null, after: null } : change
  }),
  commits: forAgent(os.history.commits, (agent, { path, ...page }, signal) => agent.commits.log(path, page, signal)),
  commitDiff: forAgent(os.history.commitDiff, (agent, input, signal) =>
    agent.commits.diff(input.path, input.commit, signal),
  ),
  blame: forAgent(os.history.blame, (agent, input) => agent.requireHistory.blame(input.path)),
  standing: forAgent(os.history.standing, (agent, input) => agent.revertStatus(input.path, input.patch)),
  accepted: forAgent(os.history.accepted, (agent) => agent.reviewedHunks.list()),
  accept: doForAgent(os.history.accept, (agent, input) => agent.reviewedHunks.accept(input.hunk)),
  restore: forAgent(os.history.restore, (agent, input) => agent.restoreVersion(input.commit, input.path)),
  batches: forAgent(os.history.batches, (agent) => agent.batches.list()),
  undoBatch: forAgent(os.history.undoBatch, (agent, input) =>
    agent.batches.undo(input.undo, { cause: 'user', isUndo: true }),
  ),
})

export const erasureRoutes = ({ app, os }: RouterBase) => ({
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
  stop: perform(os.forget.stop, (input) => app.agents.erasure.stop(input.agent)),
})
