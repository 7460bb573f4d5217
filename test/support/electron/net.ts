/** net. Source: docs/api/net.md, docs/api/client-request.md and docs/api/incoming-message.md. */
import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type ClientRequest as NodeRequest, request as requestHttp } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Host } from './host.ts'

interface RequestOptions {
  readonly protocol?: string
  readonly hostname: string
  readonly port?: string
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  /** "When mode is `manual` the redirection will be cancelled unless request.followRedirect is invoked". */
  readonly redirect?: 'follow' | 'error' | 'manual'
}

/**
 * Only HTTP without TLS, and no redirects that are followed by themselves. A response that the server cuts emits
 * `error`: docs/api/incoming-message.md, "if the server closes the underlying while the response is still streaming".
 */
class ClientRequest extends EventEmitter {
  readonly #request: NodeRequest

  constructor({ protocol = 'http:', hostname, port, path = '/', method = 'GET', headers = {} }: RequestOptions) {
    super()
    if (protocol !== 'http:') throw new Error('the stand-in has no TLS')
    this.#request = requestHttp({ hostname, port, path, method, headers, agent: false })
    this.#request.on('response', (response) => {
      const { statusCode = 0, headers: received } = response
      if (statusCode >= 300 && statusCode < 400) this.emit('redirect', statusCode, method, received.location, received)
      else this.emit('response', response)
    })
    this.#request.on('error', (error) => this.emit('error', error))
    this.#request.on('close', () => this.emit('close'))
  }

  end(body?: Buffer): void {
    this.#request.end(body)
  }

  abort(): void {
    this.emit('abort')
    this.#request.destroy()
  }
}

export function createNet({ computer }: Host) {
  return {
    /** "it can read files". */
    fetch: (url: string) => readFile(fileURLToPath(url)).then((bytes) => new Response(bytes)),
    request: (options: RequestOptions) => new ClientRequest(options),
    isOnline: () => computer.online,
  }
}
