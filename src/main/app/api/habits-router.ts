/** How the notes of a folder are kept. */
import { lookAtFolder } from '#workspace'
import { expandHome } from '#platform'
import type { RouterBase } from './procedure.ts'

export const habitsRoutes = ({ os, agent }: RouterBase) => ({
  look: os.habits.look.handler(({ input, signal }) => lookAtFolder(expandHome(input.path), signal)),
  of: os.habits.of.use(agent).handler(({ context }) => {
    const { found, kept } = context.agent.habits
    return { found, kept }
  }),
})
