/** The real models behind a loopback server that speaks OpenAI's protocol for embeddings, as Ollama and others do. */
import { createServer } from 'node:http'
import { isModelName, openModels } from './models.ts'

export interface ModelServer {
  readonly url: string
  readonly close: () => void
}

/** @param folder absolute, as `setup.sh` filled it */
export async function startModelServer(folder: string): Promise<ModelServer> {
  const models = openModels(folder)
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { model, input } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { model: string; input: string[] }
      if (!isModelName(model)) return void answer(404, { error: { message: `no model ${model}` } })
      models.embed(model, input).then(
        (vectors) => answer(200, { data: vectors.map((vector, index) => ({ index, embedding: [...vector] })) }),
        (error: unknown) => answer(500, { error: { message: String(error) } }),
      )
    })
  })
  // Ranking keeps the thread busy for longer than a connection is kept open by itself.
  server.keepAliveTimeout = 10 * 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
      models.close()
    },
  }
}
