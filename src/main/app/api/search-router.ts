import {
  privacyMarkersFor,
  searchOptionsFor,
  visibleExplanation,
  visibleResults,
  privacySnapshotFor,
} from './client-visibility.ts'
import type { RouterBase } from './procedure.ts'

const settleTimeoutMs = 10 * 60_000

/** Limit of related notes beside an open note; further ones are rarely on the same topic. */
const maxSimilarNotes = 8

export const searchRoutes = ({ app, os, agent }: RouterBase) => ({
  query: os.search.query.use(agent).handler(async ({ context, input, signal }) => {
    const options = await searchOptionsFor(app, context.agent, input.forProgram, input.options)
    const response = await context.agent.memory.search(input.query, options, signal)
    return visibleResults(response, context.agent, await privacyMarkersFor(app, context.agent, input.forProgram))
  }),
  explain: os.search.explain.use(agent).handler(async ({ context, input, signal }) => {
    const options = await searchOptionsFor(app, context.agent, input.forProgram, input.options)
    const response = await context.agent.memory.explain(input.query, options, input.why, signal)
    return visibleExplanation(response, context.agent, await privacySnapshotFor(app, context.agent, input.forProgram))
  }),
  recalls: os.search.recalls.use(agent).handler(({ context, signal }) => context.agent.sessions.recalls(signal)),
  settings: os.search.settings.handler(({ input }) => app.agents.settingsOf(input.agent).memory.search),
  setSettings: os.search.setSettings.handler(({ input }) => app.agents.configOf(input.agent).setSearch(input.settings)),
  scope: os.search.scope.handler(({ input }) => app.agents.settingsOf(input.agent).memory.scope),
  setScope: os.search.setScope.handler(({ input }) => app.agents.configOf(input.agent).setMemory('scope', input.scope)),
  setSessions: os.search.setSessions.handler(({ input }) =>
    app.agents.configOf(input.agent).setMemory('sessions', input.sessions),
  ),
  status: os.search.status.use(agent).handler(({ context }) => context.agent.memory.status()),
  embeddingCost: os.search.embeddingCost
    .use(agent)
    .handler(({ context, input, signal }) => context.agent.memory.embeddingCost(input.of, signal)),
  nearNotes: os.search.nearNotes
    .use(agent)
    .handler(({ context, input }) => context.agent.memory.similarNotes(input.path, maxSimilarNotes)),
  settle: os.search.settle.use(agent).handler(async ({ context, input, signal }) => {
    const { memory } = context.agent
    const settled = await memory.settle(settleTimeoutMs)
    const status = input.vectors ? await memory.waitForVectors(signal) : await memory.status()
    return { settled, status, indexBytes: await memory.indexBytes() }
  }),
  reindex: os.search.reindex.use(agent).handler(({ context, signal }) => context.agent.memory.reindex(signal)),
})

export const savedQueriesRoutes = ({ os, agent }: RouterBase) => ({
  list: os.checks.list.use(agent).handler(({ context }) => context.agent.savedQueries.list()),
  add: os.checks.add.use(agent).handler(({ context, input }) => context.agent.savedQueries.add(input.question)),
  remove: os.checks.remove.use(agent).handler(async ({ context, input }) => ({
    removed: await context.agent.savedQueries.remove(input.id),
  })),
  run: os.checks.run.use(agent).handler(({ context }) => context.agent.savedQueries.run('asked')),
  stop: os.checks.stop.use(agent).handler(({ context }) => {
    context.agent.savedQueries.stop()
    return {}
  }),
  import: os.checks.import.use(agent).handler(({ context, input }) => context.agent.savedQueries.import(input.text)),
  export: os.checks.export
    .use(agent)
    .handler(async ({ context }) => ({ text: await context.agent.savedQueries.export() })),
})
