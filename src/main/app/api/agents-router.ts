import { perform, type RouterBase } from './procedure.ts'
import { inspectFolder } from '#workspace'
import { expandHome, appVersion } from '#platform'

export const agentsRoutes = ({ app, os }: RouterBase) => ({
  list: os.agents.list.handler(() => app.agents.list()),
  create: os.agents.create.handler(({ input }) => app.agents.create(input)),
  update: perform(os.agents.update, ({ agent: id, ...change }) => app.agents.update(id, withoutUndefined(change))),
  share: perform(os.agents.share, (input) => app.agents.setReaders(input.agent, input.with)),
  setUp: os.agents.setUp.handler(({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale, input)),
  moveOwn: os.agents.moveOwn.handler(({ input }) => app.agents.moveAgentFiles(input.agent, input.own)),
})

/** Removes keys whose value is undefined, so that they do not overwrite stored values. */
function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

export const conventionsRoutes = ({ os, forAgent }: RouterBase) => ({
  look: os.habits.look.handler(({ input, signal }) => inspectFolder(expandHome(input.path), signal)),
  of: forAgent(os.habits.of, (agent) => {
    const { detected, effective } = agent.conventions
    return { found: detected, kept: effective }
  }),
})

export const healthRoutes = ({ app, os, forAgent, doForAgent }: RouterBase) => ({
  problems: os.health.problems.handler(({ input }) => app.health.problems(input.agent)),
  ended: forAgent(os.health.ended, (agent) => (agent.recoveredChange ? [agent.recoveredChange] : [])),
  endedSeen: doForAgent(os.health.endedSeen, (agent, input) => {
    if (agent.recoveredChange?.id === input.id) agent.recoveredChange = undefined
  }),
  tryAgain: doForAgent(os.health.tryAgain, (agent) => agent.memory.tryProvider()),
})

export const eventsRoutes = ({ app, os }: RouterBase) => ({
  subscribe: os.events.subscribe.handler(async function* ({ input, signal }) {
    if (input) app.settings.setSystemLanguage(input.language)
    // Only windows send their language.
    const unregister = input ? app.clients.registerWindow() : undefined
    const events = app.events.subscribe('event', signal ? { signal } : {})
    try {
      yield { type: 'hello' as const, version: appVersion }
      yield* events
    } finally {
      unregister?.()
    }
  }),
})
