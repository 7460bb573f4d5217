import type { Dispatcher } from 'undici'
import { type Fetch, boundedFetch, type Clock } from '#platform'
import { maxEventBytes, maxListBytes, maxStreamBytes } from '#shared/util/limits.ts'
import { createFailure } from './provider-failures.ts'
import { capturingFetch, type OnRequestSent } from './request-capture.ts'
import { streamingFetch } from '../providers/openai/non-streaming-fallback.ts'

/** Returns a `fetch` through `proxy` or the proxies of the environment; undefined if neither is set. */
export function proxyFetch(proxy: string | undefined, env: NodeJS.ProcessEnv): Fetch | undefined {
  const { httpsProxy } = environmentProxies(env)
  if (proxy === undefined && httpsProxy === '') return undefined
  const fetchThroughProxy = async (input: string, init?: object) => {
    // Loaded on demand: undici takes a megabyte.
    const undici = await import('undici')
    return undici.fetch(input, { ...init, dispatcher: dispatcherFor(undici, proxy, env) })
  }
  // Only the types differ; the dispatcher needs undici's own fetch.
  return fetchThroughProxy as unknown as Fetch
}

/** Returns the proxy's URL for requests to `url`, HTTPS if undefined; undefined for direct connections. */
export function proxyFor(
  url: string | undefined,
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (proxy !== undefined) return proxy
  const { protocol, hostname } = (url === undefined ? null : URL.parse(url)) ?? { protocol: 'https:', hostname: '' }
  const { httpProxy, httpsProxy, noProxy } = environmentProxies(env)
  const environmentProxy = protocol === 'http:' ? httpProxy : httpsProxy
  const directHosts = new Set(noProxy.split(/[\s,]+/).map((host) => host.replace(/:\d+$/, '')))
  const isDirect = directHosts.has('*') || directHosts.has(hostname)
  return environmentProxy && !isDirect ? environmentProxy : undefined
}

const dispatchers = new Map<string, Dispatcher>()

function environmentProxies(env: NodeJS.ProcessEnv) {
  const httpProxy = env['http_proxy'] || env['HTTP_PROXY'] || ''
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'] || httpProxy
  return { httpProxy, httpsProxy, noProxy: env['no_proxy'] || env['NO_PROXY'] || '' }
}

function dispatcherFor(
  { EnvHttpProxyAgent, ProxyAgent }: typeof import('undici'),
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): Dispatcher {
  const { httpProxy, httpsProxy, noProxy } = environmentProxies(env)
  const key = JSON.stringify([proxy, httpProxy, httpsProxy, noProxy])
  const cached = dispatchers.get(key)
  if (cached) return cached
  const dispatcher =
    proxy === undefined ? new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy }) : new ProxyAgent(proxy)
  dispatchers.set(key, dispatcher)
  return dispatcher
}

export interface ProviderOptions {
  readonly apiKey: string
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: Fetch | undefined
  readonly onSent?: OnRequestSent | undefined
  readonly now?: Clock | undefined
}

/** Returns the options for both official clients. Their own retries are off: `withRetries` repeats requests visibly. */
export function clientOptions(
  provider: string,
  { apiKey, baseUrl, timeoutMs, headers, fetch = globalThis.fetch, onSent }: ProviderOptions,
) {
  return {
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    // Lists use GET; answers use POST and stream.
    fetch: streamingFetch(
      boundedFetch(
        onSent ? capturingFetch(fetch, onSent) : fetch,
        (method) => (method === 'GET' ? { whole: maxListBytes } : { event: maxEventBytes, whole: maxStreamBytes }),
        () => createFailure('provider_too_much', provider),
      ),
    ),
    // A redirect would send the conversation and the key to another server.
    fetchOptions: { redirect: 'manual' as const },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off' as const,
  }
}
