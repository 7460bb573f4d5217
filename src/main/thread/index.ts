export { fromOrpcError, toOrpcError } from './errors.ts'
export { startThread, threadFile, type Thread } from './thread.ts'
