import { execFile } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { listen } from '../../support/listen.ts'
import { rounds } from '../../support/thorough.ts'

const reader = fileURLToPath(new URL('../../support/greedy-reader.ts', import.meta.url))

/** A server that sends data until the reader closes the connection. */
async function greedy(give: (response: ServerResponse) => AsyncGenerator<string>, gzip = false): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    void (async () => {
      const gone = once(response, 'close')
      const out = gzip ? createGzip() : response
      if (gzip) {
        response.setHeader('Content-Encoding', 'gzip')
        out.pipe(response)
      }
      for await (const piece of give(response)) {
        if (response.destroyed) return
        if (!out.write(piece)) await Promise.race([new Promise((resolve) => out.once('drain', resolve)), gone])
      }
      out.end()
    })().catch(() => response.destroy())
  })
  return listen(server)
}

async function* forever(opening: string, piece: string): AsyncGenerator<string> {
  yield opening
  for (;;) yield piece
}

const letters = 'a'.repeat(64 * 1024)
const chunk = (delta: object, finish?: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish ?? null }] })}\n\n`
const stream = { 'Content-Type': 'text/event-stream' }

function sse(opening: string, piece: string) {
  return (response: ServerResponse) => {
    response.writeHead(200, stream)
    return forever(opening, piece)
  }
}

interface Outcome {
  readonly code?: string
  readonly characters?: number
  readonly calls?: number
  readonly first?: object
  readonly megabytes: number
}

async function read(what: string, provider: string, url: string): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(process.execPath, [reader, what, provider, url])
  return JSON.parse(stdout) as Outcome
}

/** Memory limit of a process with the client in it; the process alone takes about 150 MB. */
const maxMegabytes = 400

describe('a provider that never stops', () => {
  it.each(['anthropic', 'openai-compatible'])('stops at an endless line: %s', async (provider) => {
    const outcome = await read('answer', provider, await greedy(sse('data: {"x":"', letters)))
    expect(outcome.code).toBe('provider_too_much')
    expect(outcome.megabytes).toBeLessThan(maxMegabytes)
  })

  it.each([
    ['an endless event of many lines', sse('', `data: ${letters}\n`), false],
    ['an endless line in few compressed bytes', sse('data: ', letters), true],
  ])('stops at %s', async (_name, give, gzip) => {
    const outcome = await read('answer', 'openai-compatible', await greedy(give, gzip))
    expect(outcome.code).toBe('provider_too_much')
    expect(outcome.megabytes).toBeLessThan(maxMegabytes)
  })

  it('cuts an endless answer and keeps the text so far', async () => {
    const outcome = await read(
      'answer',
      'openai-compatible',
      await greedy(sse('', chunk({ content: [...Array(150).keys()].join(' ') }))),
    )
    expect(outcome.code).toBe('provider_too_much')
    expect(outcome.characters).toBeGreaterThan(3_000_000)
    expect(outcome.megabytes).toBeLessThan(maxMegabytes)
  })

  it('replaces megabytes of arguments by their length and keeps the rest of the answer', async () => {
    const pieces = rounds(10_000, 30_000)
    const opening = chunk({
      tool_calls: [{ index: 0, id: 'a', function: { name: 'write', arguments: '{"content":"' } }],
    })
    const piece = chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(1000) } }] })
    const outcome = await read(
      'answer',
      'openai-compatible',
      await greedy(async function* (response) {
        response.writeHead(200, stream)
        yield opening
        for (let number = 0; number < pieces; number += 1) yield piece
        yield chunk({}, 'tool_calls')
        yield 'data: [DONE]\n\n'
      }),
    )
    expect(outcome).toMatchObject({ calls: 1, first: { argumentsTooLong: pieces * 1000 + 12 } })
    expect(outcome.megabytes).toBeLessThan(maxMegabytes)
  })

  it('stops at endless vectors', async () => {
    const give = (response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      return forever('{"data":[', `${'0.123,'.repeat(10_000)}`)
    }
    const outcome = await read('vectors', 'openai-compatible', await greedy(give))
    expect(outcome.code).toMatch(/^provider_(too_much|error)$/)
    expect(outcome.megabytes).toBeLessThan(maxMegabytes)
  })

  it('refuses endlessly nested JSON before parsing it', async () => {
    const deep = `data: ${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}\n\n`
    const url = await greedy((response) => {
      response.writeHead(200, stream)
      return forever(deep, letters)
    })
    expect((await read('answer', 'openai-compatible', url)).code).toBe('provider_too_much')
  })
})
