import { KeyedQueue } from '#platform'
import type { VisibleMemory } from '#agent'
import type { OpenAgent } from '../agents/agent.ts'
import { type RouterBase, type Routes, visibleFor } from './procedure.ts'

const settleTimeoutMs = 10 * 60_000

/** Limit of related notes beside an open note; further ones are rarely on the same topic. */
const maxSimilarNotes = 8

const programSearches = new KeyedQueue()

/** Runs searches of programs one at a time for each agent, so that one of the user waits for at most one of them. */
function searchFor<T>(
  app: RouterBase['app'],
  agent: OpenAgent,
  { forProgram, isCompared }: { forProgram: boolean | string; isCompared?: boolean | undefined },
  search: (memory: VisibleMemory) => Promise<T>,
): Promise<T> {
  const run = async () => search(await visibleFor(app, agent, forProgram, isCompared))
  return forProgram === false ? run() : programSearches.run(agent.id, run)
}

export const searchRoutes: Routes<'search'> = ({ app, forAgent }) => ({
  query: forAgent((agent, input, signal) =>
    searchFor(app, agent, input, (memory) => memory.search(input.query, input.options, signal)),
  ),
  explain: forAgent((agent, input, signal) =>
    searchFor(app, agent, input, (memory) => memory.explain(input.query, input.options, input.why, signal)),
  ),
  recalls: forAgent((agent, _input, signal) => agent.sessions.recalls(signal)),
  settings: ({ input }) => {
    const { search, chunking } = app.agents.settingsOf(input.agent).memory
    return { ...search, chunking }
  },
  setSettings: ({ input }) => app.agents.configOf(input.agent).setSearch(input.settings),
  setScope: ({ input }) => app.agents.configOf(input.agent).setMemory('scope', input.scope),
  setSessions: ({ input }) => app.agents.configOf(input.agent).setMemory('sessions', input.sessions),
  status: forAgent((agent, input) => (input.isCompared ? agent.comparison : agent.memory).status()),
  compareWith: forAgent((agent, input) => agent.compareWith(input.provider ?? undefined)),
  embeddingCost: forAgent((agent, input, signal) => agent.memory.embeddingCost(input.of, signal)),
  nearNotes: forAgent((agent, input) => agent.memory.similarNotes(input.path, maxSimilarNotes)),
  settle: forAgent(async (agent, input, signal) => {
    const memory = input.isCompared ? agent.comparison : agent.memory
    const settled = await memory.settle(settleTimeoutMs)
    const status = input.vectors ? await memory.waitForVectors(signal) : await memory.status()
    return { settled, status, indexBytes: await memory.indexBytes() }
  }),
  reindex: forAgent((agent, _input, signal) => agent.memory.reindex(signal)),
})

export const savedSearchesRoutes: Routes<'savedSearches'> = ({ forAgent }) => ({
  list: forAgent((agent) => agent.savedQueries.list()),
  add: forAgent((agent, input) => agent.savedQueries.add(input.question)),
  remove: forAgent(async (agent, input) => ({ removed: await agent.savedQueries.remove(input.id) })),
  run: forAgent((agent) => agent.savedQueries.run('asked')),
  stop: forAgent((agent) => agent.savedQueries.stop()),
  import: forAgent((agent, input) => agent.savedQueries.import(input.text)),
  export: forAgent(async (agent) => ({ text: await agent.savedQueries.export() })),
})
