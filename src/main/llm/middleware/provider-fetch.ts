import type { Dispatcher } from 'undici'
import { type Fetch, boundedFetch, type Clock } from '#platform'
import { maxEventBytes, maxListBytes, maxStreamBytes } from '#shared/util/limits.ts'
import { failure } from './provider-failures.ts'
import { tellingFetch, type TellSent } from './request-capture.ts'
import { streamingFetch } from '../providers/openai/non-streaming-fallback.ts'

/** A `fetch` that goes through a proxy; undefined when there is none, and Node's own will do. */
export function proxyFetch(proxy: string | undefined, env: NodeJS.ProcessEnv): Fetch | undefined {
  const { httpsProxy } = environmentProxies(env)
  if (proxy === undefined && httpsProxy === undefined) return undefined
  const through = async (input: string, init?: object) => {
    // Loaded when something is asked for: it is a megabyte.
    const undici = await import('undici')
    return undici.fetch(input, { ...init, dispatcher: dispatcherFor(undici, proxy, env) })
  }
  // The two differ in their types only; undici's own is needed for its dispatcher.
  return through as unknown as Fetch
}

/** The proxy that a request to `url` goes through; undefined where it goes directly. */
export function proxyFor(
  url: string | undefined,
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (proxy !== undefined) return proxy
  const { protocol, hostname } = (url === undefined ? null : URL.parse(url)) ?? { protocol: 'https:', hostname: '' }
  const { httpProxy, httpsProxy, noProxy } = environmentProxies(env)
  const used = protocol === 'http:' ? httpProxy : httpsProxy
  const named = (noProxy ?? '').split(/[\s,]+/)
  const direct = new Set(named.map((host) => host.replace(/:\d+$/, '')))
  return used && !direct.has('*') && !direct.has(hostname) ? used : undefined
}

const agents = new Map<string, Dispatcher>()

function environmentProxies(env: NodeJS.ProcessEnv) {
  const httpProxy = env['http_proxy'] || env['HTTP_PROXY']
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'] || httpProxy
  return { httpProxy, httpsProxy, noProxy: env['no_proxy'] || env['NO_PROXY'] }
}

function dispatcherFor(
  { EnvHttpProxyAgent, ProxyAgent }: typeof import('undici'),
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): Dispatcher {
  const { httpProxy, httpsProxy, noProxy } = environmentProxies(env)
  const key = JSON.stringify([proxy, httpProxy, httpsProxy, noProxy])
  const known = agents.get(key)
  if (known) return known
  const agent =
    proxy === undefined
      ? new EnvHttpProxyAgent({
          ...(httpProxy === undefined ? {} : { httpProxy }),
          ...(httpsProxy === undefined ? {} : { httpsProxy }),
          ...(noProxy === undefined ? {} : { noProxy }),
        })
      : new ProxyAgent(proxy)
  agents.set(key, agent)
  return agent
}

/** How to reach a provider. */
export interface ProviderOptions {
  readonly apiKey: string
  readonly baseUrl: string | undefined
  readonly timeoutMs: number
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Used instead of Node's own, to go through a proxy. */
  readonly fetch?: Fetch | undefined
  /** Told of each request before it leaves. */
  readonly onSent?: TellSent | undefined
  /** Answers bear its time. */
  readonly now?: Clock | undefined
}

/** How both official clients are set up. Retries are ours, so that the user can be told of them. */
export function clientOptions(
  provider: string,
  { apiKey, baseUrl, timeoutMs, headers, fetch = globalThis.fetch, onSent }: ProviderOptions,
) {
  return {
    apiKey,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    // Lists are got, answers are posted for and streamed.
    fetch: streamingFetch(
      boundedFetch(
        onSent ? tellingFetch(fetch, onSent) : fetch,
        (method) => (method === 'GET' ? { whole: maxListBytes } : { event: maxEventBytes, whole: maxStreamBytes }),
        () => failure('provider_too_much', provider),
      ),
    ),
    // A redirection would take the conversation and the key along.
    fetchOptions: { redirect: 'manual' as const },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off' as const,
  }
}
