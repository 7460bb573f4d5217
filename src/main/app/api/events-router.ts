/** What changes, told to everybody. */
import { appVersion } from '#platform'
import type { RouterBase } from './procedure.ts'

export const eventsRoutes = ({ app, os }: RouterBase) => ({
  subscribe: os.events.subscribe.handler(async function* ({ input, signal }) {
    if (input) app.settings.hearSystemLanguage(input.language)
    // Only windows say what language they have.
    const closed = input ? app.clients.windowOpened() : undefined
    const events = app.events.subscribe('event', signal ? { signal } : {})
    try {
      yield { type: 'hello' as const, version: appVersion }
      yield* events
    } finally {
      closed?.()
    }
  }),
})
