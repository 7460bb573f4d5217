import fc from 'fast-check'
import { ORPCError } from '@orpc/client'
import { describe, expect, it, vi } from 'vitest'
import { contract } from '../../../src/shared/contract/index.ts'
import { errorCodes } from '../../../src/shared/util/errors.ts'
import { openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { rounds } from '../../support/thorough.ts'

/** Number of inputs per request. */
const inputs = rounds(12, 60)

const names = ['agent', 'session', 'path', 'query', 'text', 'id', 'number', 'question', 'settings', 'options', 'patch']
const word = fc.oneof(
  fc.constantFrom(
    'main',
    '',
    '../x',
    'MEMORY.md',
    '__proto__',
    'constructor',
    '\u0000',
    '𝒳',
    '数据库',
    'x'.repeat(5000),
  ),
  fc.string().map((text) => text.replace(/^[/~]+/, '')),
)
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), word), tie('value'), { maxKeys: 6 }),
  ),
})).value
/** Half of the inputs name an existing agent. */
const input = fc.oneof(
  anything,
  fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 6 }).map((values) => ({ ...values, agent: 'main' })),
)

interface Call {
  readonly name: string
  readonly run: (value: unknown, options: { signal: AbortSignal }) => Promise<unknown>
}

describe('the contract', () => {
  it('every request answers any input with a result or a known error, and the app keeps running', async () => {
    // Default locations in the home folder point to a temporary folder.
    vi.stubEnv('HOME', await temporaryFolder())
    const server = await openTestServer({ files: { 'memory/a.md': 'The walrus is the mascot.\n' } })
    const client = await connect(server.url)
    const calls: Call[] = Object.entries(contract).flatMap(([group, requests]) =>
      Object.keys(requests).map((request) => ({
        name: `${group}.${request}`,
        run: (client as unknown as Record<string, Record<string, Call['run']>>)[group]?.[request] as Call['run'],
      })),
    )
    const known = new Set<string>([...errorCodes, 'BAD_REQUEST'])
    let attempts = 0
    const strange: string[] = []
    for (const { name, run } of calls) {
      for (const value of fc.sample(input, { numRuns: inputs, seed: 7 })) {
        attempts += 1
        const stop = new AbortController()
        try {
          const result = await run(value, { signal: stop.signal })
          if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) stop.abort()
        } catch (error) {
          const code = error instanceof ORPCError ? error.code : String(error)
          if (!known.has(code) || code === 'internal')
            strange.push(
              `${name} ${JSON.stringify(value).slice(0, 200)}: ${code} ${error instanceof Error ? error.message : ''}`,
            )
        }
      }
    }
    process.stdout.write(
      `contract: ${attempts} requests of ${calls.length} kinds, ${strange.length} unexpected answers\n`,
    )
    expect(strange).toEqual([])
    expect((await client.search.query({ agent: 'main', query: 'walrus' })).results).toHaveLength(1)
  }, 180_000)
})
