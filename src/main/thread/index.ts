export { fromOrpcError } from './errors.ts'
export { serveThread, threadBase } from './serve.ts'
export { yieldToOthers } from './yield.ts'
export { startThread, threadFile, type Thread } from './thread.ts'
