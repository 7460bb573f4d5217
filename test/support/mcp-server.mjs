/** MCP tool server for tests, over stdio, or with `--http` at a URL that it prints. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { z } from 'zod'

function makeServer() {
  const server = new McpServer({ name: 'test-tools', version: '1.0.0' }, { capabilities: { logging: {} } })
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers.',
      inputSchema: { a: z.number(), b: z.number() },
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  )
  server.registerTool('secret', { description: 'Tells what it was started with.', inputSchema: {} }, async () => ({
    content: [{ type: 'text', text: process.env.TEST_SECRET ?? 'nothing' }],
  }))
  server.registerTool(
    'slow',
    { description: 'Counts, and says how far it is.', inputSchema: { steps: z.number(), everyMs: z.number() } },
    async ({ steps, everyMs }, { sendNotification, _meta }) => {
      for (let step = 1; step <= steps; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, everyMs))
        const progressToken = _meta?.progressToken
        if (progressToken === undefined) continue
        const params = { progressToken, progress: step, total: steps, message: `step ${step}` }
        await sendNotification({ method: 'notifications/progress', params })
      }
      return { content: [{ type: 'text', text: 'counted' }] }
    },
  )
  server.registerTool(
    'page',
    { description: 'Fetches a page of the web.', inputSchema: { url: z.string() } },
    async ({ url }) => {
      const pages = JSON.parse(readFileSync(process.env.TEST_PAGES ?? '', 'utf8'))
      return { content: [{ type: 'text', text: pages[url] ?? 'not found' }] }
    },
  )
  server.registerTool('hang', { description: 'Never answers.', inputSchema: {} }, () => new Promise(() => {}))
  server.registerTool('fail', { description: 'Fails.', inputSchema: {} }, async () => ({
    content: [{ type: 'text', text: 'it did not work' }],
    isError: true,
  }))
  server.registerTool('picture', { description: 'A picture.', inputSchema: {} }, async () => ({
    content: [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }],
  }))
  server.registerTool('die', { description: 'Ends the server.', inputSchema: {} }, () => process.exit(3))
  return server
}

if (process.argv.includes('--http')) {
  const http = createServer(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    response.on('close', () => void transport.close())
    await makeServer().connect(transport)
    await transport.handleRequest(request, response)
  })
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`))
} else {
  console.error('test-tools: started')
  await makeServer().connect(new StdioServerTransport())
}
