/** What memory is made of. */
import type { RouterBase } from './procedure.ts'

export const surveyRoutes = ({ os, agent }: RouterBase) => ({
  run: os.survey.run.use(agent).handler(({ context, signal }) => context.agent.survey(signal)),
})
