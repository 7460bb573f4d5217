import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { cli } from '../../support/built.ts'

const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cat', version: '1' } }
const begin = [{ id: 'first', method: 'initialize', params: info }, { method: 'notifications/initialized' }].map(
  (one) => JSON.stringify({ jsonrpc: '2.0', ...one }),
)

async function talk(lines: readonly string[]): Promise<{ code: unknown; out: string; errors: string }> {
  const { home } = await prepareFolders({ files: { 'acme.md': '# Acme\n\nThe database is PostgreSQL 17.\n' } })
  const child = spawn(process.execPath, [cli, 'mcp', '--home', home])
  const said = { out: '', errors: '' }
  child.stdout.on('data', (data) => (said.out += data))
  child.stderr.on('data', (data) => (said.errors += data))
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${[...begin, ...lines].join('\n')}\n`)
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { ...said, code }
}

it('a too long message ends the connection, with a reason for the program', async () => {
  const { code, errors } = await talk([JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'x'.repeat(5_000_000) })])
  expect(code).toBe(1)
  expect(errors).toContain('exceeded maximum size')
}, 60_000)
