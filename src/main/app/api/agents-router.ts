import type { RouterBase } from './procedure.ts'
import { inspectFolder } from '#workspace'
import { expandHome, appVersion } from '#platform'

export const agentsRoutes = ({ app, os }: RouterBase) => ({
  list: os.agents.list.handler(() => app.agents.list()),
  create: os.agents.create.handler(({ input }) => app.agents.create(input)),
  update: os.agents.update.handler(async ({ input: { agent: id, ...change } }) => {
    await app.agents.update(id, withoutUndefined(change))
    return {}
  }),
  share: os.agents.share.handler(async ({ input }) => {
    await app.agents.setReaders(input.agent, input.with)
    return {}
  }),
  setUp: os.agents.setUp.handler(({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale, input)),
  moveOwn: os.agents.moveOwn.handler(({ input }) => app.agents.moveAgentFiles(input.agent, input.own)),
})

/** Removes keys whose value is undefined, so that they do not overwrite stored values. */
function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

export const conventionsRoutes = ({ os, agent }: RouterBase) => ({
  look: os.habits.look.handler(({ input, signal }) => inspectFolder(expandHome(input.path), signal)),
  of: os.habits.of.use(agent).handler(({ context }) => {
    const { detected, effective } = context.agent.conventions
    return { found: detected, kept: effective }
  }),
})

export const healthRoutes = ({ app, os, agent }: RouterBase) => ({
  problems: os.health.problems.handler(({ input }) => app.health.problems(input.agent)),
  ended: os.health.ended
    .use(agent)
    .handler(({ context }) => (context.agent.recoveredChange ? [context.agent.recoveredChange] : [])),
  endedSeen: os.health.endedSeen.use(agent).handler(({ context, input }) => {
    if (context.agent.recoveredChange?.id === input.id) context.agent.recoveredChange = undefined
    return {}
  }),
  tryAgain: os.health.tryAgain.use(agent).handler(async ({ context }) => {
    await context.agent.memory.tryProvider()
    return {}
  }),
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
