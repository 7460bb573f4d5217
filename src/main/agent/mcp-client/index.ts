export { McpConnection, McpServers } from './mcp-servers.ts'
