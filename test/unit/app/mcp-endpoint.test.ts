import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openMcpPort } from '../../../src/main/app/server/mcp-endpoint.ts'
import { openTestResident } from '../../support/app.ts'
import { until } from '../../support/folder.ts'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('MCP over HTTP', () => {
  it('answers at the configured port with a token, and at none by default', async () => {
    const resident = await openTestResident()
    const port = openMcpPort(resident)
    onTestFinished(() => port.close())
    await port.apply()
    expect(port.address).toBeUndefined()
    const free = await freePort()
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: free }))
    await port.apply()
    expect(port.address).toBe(`http://127.0.0.1:${free}/mcp`)
    const { token } = await resident.callPrimary((owner) =>
      owner.clients.issueToken({ client: 'x', name: 'X', agent: 'main' }),
    )
    const ask = (path: string, bearer: string, host = `127.0.0.1:${free}`) =>
      fetch(`http://127.0.0.1:${free}${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${bearer}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Origin: `http://${host}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      })
    const answered = await ask('/mcp', token)
    expect(answered.status).toBe(200)
    expect(await answered.text()).toContain('memory_search')
    expect((await ask('/mcp', 'wrong')).status).toBe(401)
    expect((await ask('/mcp', token, 'evil.example')).status).toBe(403)
    expect((await ask('/', token)).status).toBe(404)
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: null }))
    await port.apply()
    expect(port.address).toBeUndefined()
    await expect(ask('/mcp', token)).rejects.toThrow()
  })

  it('reports a port in use, and another one can be configured', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port: busy } = taken.address() as { port: number }
    const resident = await openTestResident()
    const faults: unknown[] = []
    resident.onEvent((event) => event.type === 'fault' && faults.push(event))
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: busy }))
    const port = openMcpPort(resident)
    onTestFinished(() => port.close())
    await port.apply()
    await until(() => faults.length === 1)
    expect(port.address).toBeUndefined()
    const free = await freePort()
    await resident.callPrimary((owner) => owner.settings.set({ path: ['desktop', 'mcpPort'], value: free }))
    await port.apply()
    expect(port.address).toContain(String(free))
  })
})
