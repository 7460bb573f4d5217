/** An HTTP proxy on loopback. Forwards plain requests. */
import { createServer, request as ask } from 'node:http'
import { listen } from './listen.ts'

/** @returns the URL and the hosts reached through the proxy, in order */
export async function startProxy(): Promise<{ url: string; hosts: string[] }> {
  const hosts: string[] = []
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? '')
    hosts.push(target.host)
    const { method, headers } = request
    const onward = ask(target, { ...(method ? { method } : {}), headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  return { url: await listen(server), hosts }
}
