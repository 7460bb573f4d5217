import { AppError } from '#shared/util/errors.ts'
import type { ImagePart } from '#shared/chat/messages.ts'
import type { McpServers, McpTool } from '../mcp-client/mcp-servers.ts'
import type { Tool, ToolOutcome } from './tool.ts'

type CallResult = Awaited<ReturnType<McpTool['connection']['call']>>

export function createMcpTool(mcp: McpTool, servers: Pick<McpServers, 'permissionOf'>): Tool {
  const { server, tool, connection, isPrivate, ...definition } = mcp
  return {
    ...definition,
    async run(input, { signal, limits, askPermission, onProgress }, callId) {
      const permission = servers.permissionOf(server, tool)
      const question = { server, tool, input: JSON.stringify(input, null, 2) }
      if (permission === 'never' || (permission === 'ask' && !(await askPermission(question))))
        throw new AppError('tool_denied', `the user denied ${tool} of ${server}`, { tool, server })
      const report = (share: number | null, note: string) => onProgress(callId, share, note)
      const options = { signal, timeoutMs: limits.timeoutMs, isPrivate, onProgress: report }
      return outcomeOf(await connection.call(tool, { ...input }, options))
    },
  }
}

function outcomeOf({ content = [], isError, structuredContent }: CallResult): ToolOutcome {
  const texts: string[] = []
  const images: ImagePart[] = []
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'image') images.push({ type: 'image', data: part.data, mimeType: part.mimeType })
    else if (part.type === 'resource')
      texts.push('text' in part.resource ? part.resource.text : `[${part.resource.uri}]`)
    else if (part.type === 'resource_link') texts.push(`[${part.name}](${part.uri})`)
    else texts.push(`[${part.type}]`)
  }
  if (texts.length === 0 && structuredContent) texts.push(JSON.stringify(structuredContent, null, 2))
  return { text: texts.join('\n'), images, isError: isError === true }
}
