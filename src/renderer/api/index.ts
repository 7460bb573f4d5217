/** How the interface speaks to the runtime: the typed client, its queries, and the events that make them stale. */
export { api, client, connection, queryClient, useConnectionState } from './api.ts'
export { followEvents, goToEvent } from './events.ts'
