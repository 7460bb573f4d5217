export { McpServers, type McpTool } from './servers.ts'
