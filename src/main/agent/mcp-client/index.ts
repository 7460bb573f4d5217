export { McpConnection } from './mcp-connection.ts'
export { McpServers } from './mcp-servers.ts'
