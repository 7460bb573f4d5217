import { expect, it } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { runCommand } from '../../support/command.ts'

const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cat', version: '1' } }
const begin = [{ id: 'first', method: 'initialize', params: info }, { method: 'notifications/initialized' }].map(
  (one) => JSON.stringify({ jsonrpc: '2.0', ...one }),
)

it('a too long message ends the connection, with a reason for the program', async () => {
  const { home } = await prepareFolders({})
  const long = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'x'.repeat(5_000_000) })
  const { code, stderr } = await runCommand(['mcp', '--home', home], {}, `${[...begin, long].join('\n')}\n`)
  expect(code).toBe(1)
  expect(stderr).toContain('exceeded maximum size')
}, 60_000)
