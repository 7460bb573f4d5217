export { McpConnection } from './connection.ts'
export { McpServers, type McpTool } from './servers.ts'
