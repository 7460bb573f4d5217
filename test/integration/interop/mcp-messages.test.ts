import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { prepareFolders } from '../../support/app.ts'
import { cli } from '../../support/built.ts'

interface Answer {
  readonly id: string | number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

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

/** Answers by id; those without an id come first. */
async function answersTo(lines: readonly string[]): Promise<Answer[]> {
  const { out, code } = await talk(lines)
  expect(code).toBe(0)
  const answers = out
    .trim()
    .split('\n')
    .map((line): Answer => JSON.parse(line))
  return answers.filter(({ id }) => id !== 'first')
}

it('a too long message ends the connection, with a reason for the program', async () => {
  const { code, errors } = await talk([JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'x'.repeat(5_000_000) })])
  expect(code).toBe(1)
  expect(errors).toContain('exceeded maximum size')
}, 60_000)

it('invalid params are the caller’s fault, and the error describes them in words', async () => {
  const asked = [
    ['resources/read', {}, /^Invalid params: params\.uri: expected string, received undefined$/],
    ['resources/read', undefined, /^Invalid params: params: expected object/],
    ['resources/list', { cursor: 5 }, /params\.cursor/],
    ['resources/list', { cursor: 'bogus' }, /no page begins at this cursor/],
    ['resources/subscribe', {}, /params\.uri/],
    ['prompts/get', {}, /params\.name/],
    ['tools/call', {}, /^Invalid params: params\.name/],
    ['completion/complete', {}, /^Invalid params: params\.ref/],
  ] as const
  const lines = asked.map(([method, params], id) => JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  const answers = await answersTo(lines)
  expect(answers).toHaveLength(asked.length)
  for (const { id, error } of answers) {
    const [method, , said] = asked[Number(id)] ?? asked[0]
    expect(error, method).toMatchObject({ code: -32_602, message: expect.stringMatching(said) })
  }
}, 60_000)
