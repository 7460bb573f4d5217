/** Finding and replacing in all notes. */
import type { RouterBase } from './procedure.ts'

export const findRoutes = ({ os, agent }: RouterBase) => ({
  run: os.find.run.use(agent).handler(({ context, input, signal }) => {
    const { text, isPattern, matchCase } = input
    return context.agent.finder.find({ text, isPattern, matchCase }, signal)
  }),
  replace: os.find.replace.use(agent).handler(({ context, input }) => {
    const { search, replacement, paths } = input
    return context.agent.finder.replace({ search, replacement, paths }, { cause: 'user' })
  }),
  stop: os.find.stop.use(agent).handler(({ context, input }) => {
    context.agent.finder.stop(input.search)
    return {}
  }),
})
