export { api, client, connection, queryClient, useConnectionState } from './api.ts'
export { explainCode, explainError, isErrorOf } from './errors.ts'
export { followEvents, goToEvent } from './events.ts'
