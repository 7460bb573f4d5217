export { fromOrpcError } from './errors.ts'
export { serveThread, threadBase } from './serve.ts'
export { startThread, threadFile, unlessGone, type Thread } from './thread.ts'
