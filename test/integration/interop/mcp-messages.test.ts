/** What a program writes to the memory over stdio that is no message, or too long for one: it is answered (M58). */
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

/** Answers to these lines, by their ids; those without one come first. */
async function answersTo(lines: readonly string[]): Promise<Answer[]> {
  const { home } = await prepareFolders({ files: { 'acme.md': '# Acme\n\nThe database is PostgreSQL 17.\n' } })
  const child = spawn(process.execPath, [cli, 'mcp', '--home', home])
  let out = ''
  child.stdout.on('data', (data) => (out += data))
  child.stdin.end(`${[...begin, ...lines].join('\n')}\n`)
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  const answers = out
    .trim()
    .split('\n')
    .map((line): Answer => JSON.parse(line))
  return answers.filter(({ id }) => id !== 'first')
}

it('M58: a request whose params are no object is answered with its id, whatever it asks for', async () => {
  const methods = [
    'ping',
    'nobody/knows',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'prompts/get',
    'completion/complete',
  ]
  const asked = methods.flatMap((method) => [null, [], 'text', 7, true].map((params) => ({ method, params })))
  const answers = await answersTo(asked.map((one, id) => JSON.stringify({ jsonrpc: '2.0', id, ...one })))
  expect(answers.map(({ id }) => Number(id)).toSorted((one, other) => one - other)).toEqual(asked.map((_, id) => id))
  for (const { error } of answers)
    expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining('params is an object') })
}, 60_000)

it('M58: a message that is too long is answered, as is what waits for its answer and what comes behind it', async () => {
  const long = 'x'.repeat(5_000_000)
  const call = (id: number, tool: string, args: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } })
  const answers = await answersTo([
    call(1, 'memory_search', { query: 'Acme database' }),
    call(2, 'remember', { text: long }),
    // As the official package for TypeScript writes it: with the id at the end.
    JSON.stringify({ method: 'tools/call', params: { text: long, id: 77 }, jsonrpc: '2.0', id: 'three' }),
    JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params: { id: 99, text: long, last: { id: 78 } } }),
    `"${long}`,
    call(4, 'memory_get', { path: 'acme.md' }),
  ])
  const refused = answers.filter(({ error }) => error !== undefined)
  expect(refused.map(({ id }) => id)).toEqual([2, 'three', null, null])
  for (const { error } of refused)
    expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining('more than the 4 MB') })
  const others = answers.filter(({ result }) => result !== undefined)
  expect(others.map(({ id }) => Number(id)).toSorted()).toEqual([1, 4])
  for (const { result } of others) expect(JSON.stringify(result)).toContain('PostgreSQL 17')
}, 60_000)

it('M58: params that are not right are the caller’s fault, and what is wrong with them is said in words', async () => {
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
