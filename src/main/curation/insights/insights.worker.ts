/** Entry of the thread that goes through all of a memory. */
import { type } from '@orpc/server'
import { serveThread, threadBase } from '#platform'
import { takeSurvey, type SurveyRequest } from './analyze-memory.ts'

const router = {
  run: threadBase.input(type<SurveyRequest>()).handler(async function* ({ input }) {
    yield* takeSurvey(input)
  }),
}

export type SurveyRouter = typeof router

serveThread(router)
