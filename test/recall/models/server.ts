/** Serves the real models on loopback with OpenAI's embeddings API, like Ollama. */
import { createServer } from 'node:http'
import { isModelName, openModels } from './models.ts'

export interface ModelServer {
  readonly url: string
  readonly close: () => void
}

/** @param folder absolute path of the folder that `setup.sh` filled */
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
  // Ranking can block the thread for longer than the default keep-alive timeout.
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
