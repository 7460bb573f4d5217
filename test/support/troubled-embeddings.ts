/** A loopback embeddings server that can fail in various ways, and records its requests. */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

export type Trouble = 'none' | 'auth' | 'rate' | 'broken' | 'hang' | 'slow' | 'dropped' | 'unknownModel'

export interface TroubledServer {
  readonly url: string
  trouble: Trouble
  /** Texts of each request so far. */
  readonly inputs: string[][]
  /** Delay of slow answers and `retry-after` of rate limits, ms. */
  delayMs: number
  /** Words that mean the same as another one. */
  synonyms: Readonly<Record<string, string>>
  /** Returns the texts of all requests, without the probes. */
  texts(): string[]
}

const dimensions = 64

export async function startTroubledEmbeddings(): Promise<TroubledServer> {
  const inputs: string[][] = []
  const state = { trouble: 'none' as Trouble, delayMs: 0, synonyms: {} }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { input: string[] }
      inputs.push(input)
      answer(response, input, state)
    })
  })
  return Object.assign(state, {
    url: `${await listen(server)}/v1`,
    inputs,
    texts: () => inputs.flat().filter((text) => text !== 'memory'),
  })
}

function answer(
  response: ServerResponse,
  input: readonly string[],
  { trouble, delayMs, synonyms }: Pick<TroubledServer, 'trouble' | 'delayMs' | 'synonyms'>,
): void {
  const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  const good = () => ({
    data: input.map((text, index) => ({ index, embedding: vectorOf(text, dimensions, synonyms) })),
  })
  switch (trouble) {
    case 'none':
      return void json(200, good())
    case 'auth':
      return void json(401, { error: { message: 'Incorrect API key provided: sk-verysecretkey123' } })
    case 'rate':
      return void json(429, { error: { message: 'Slow down, please' } }, { 'retry-after-ms': String(delayMs) })
    case 'broken':
      return void json(500, { error: { message: 'The model ran out of memory' } })
    case 'hang':
      return
    case 'slow':
      return void setTimeout(() => json(200, good()), delayMs)
    case 'dropped':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
      response.write('{"data": [')
      return void setTimeout(() => response.destroy(), 20)
    case 'unknownModel':
      return void json(404, { error: 'model "hashed" not found, try pulling it first' })
  }
}

/** Returns similar vectors for texts with the same words. */
function vectorOf(text: string, length: number, synonyms: TroubledServer['synonyms']): number[] {
  const vector = Array.from({ length }, () => 0.01)
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    const place =
      createHash('sha256')
        .update(synonyms[word] ?? word)
        .digest()
        .readUInt32LE(0) % length
    vector[place] = (vector[place] ?? 0) + 1
  }
  return vector
}
