export type { MemoryAccess } from './access.ts'
export { clientId, clientName } from './caller.ts'
export { createMcpEndpoint, type McpEndpoint } from './http.ts'
export { serveOverStdio } from './stdio.ts'
