/** Who exists and where they live. */
import type { RouterBase } from './procedure.ts'

export const agentsRoutes = ({ app, os }: RouterBase) => ({
  list: os.agents.list.handler(() => app.agents.list()),
  create: os.agents.create.handler(({ input }) => app.agents.create(input)),
  update: os.agents.update.handler(async ({ input: { agent: id, ...change } }) => {
    await app.agents.update(id, defined(change))
    return {}
  }),
  share: os.agents.share.handler(async ({ input }) => {
    await app.agents.share(input.agent, input.with)
    return {}
  }),
  setUp: os.agents.setUp.handler(({ input }) => app.agents.setUp(input.agent, input.workspace, input.locale, input)),
  moveOwn: os.agents.moveOwn.handler(({ input }) => app.agents.moveOwn(input.agent, input.own)),
})

/** Without keys whose value is undefined: those are to stay as they are. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
