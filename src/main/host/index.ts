export { contentSecurityPolicy, securityHeaders } from './headers.ts'
export { serve, type Host } from './serve.ts'
export { McpDoor } from './mcp.ts'
export { serveMcp, type McpHost } from './mcp-only.ts'
