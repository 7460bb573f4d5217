/** How requests to a provider travel: directly, or through a proxy from the configuration or the environment. */
import { EnvHttpProxyAgent, fetch as proxiedFetch, ProxyAgent, type Dispatcher } from 'undici'
import type { Fetch } from '../network/index.ts'

/** A `fetch` that goes through a proxy; undefined when there is none, and Node's own will do. */
export function proxyFetch(proxy: string | undefined, env: NodeJS.ProcessEnv): Fetch | undefined {
  const dispatcher = dispatcherFor(proxy, env)
  if (!dispatcher) return undefined
  // The two differ in their types only; undici's own is needed for its dispatcher.
  return ((input: string, init?: object) => proxiedFetch(input, { ...init, dispatcher })) as unknown as Fetch
}

/** The proxy that a request to `url` goes through; undefined where it goes directly. */
export function proxyFor(
  url: string | undefined,
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (proxy !== undefined) return proxy
  const { protocol, hostname } = (url === undefined ? null : URL.parse(url)) ?? { protocol: 'https:', hostname: '' }
  const http = env['http_proxy'] || env['HTTP_PROXY']
  const https = env['https_proxy'] || env['HTTPS_PROXY'] || http
  const used = protocol === 'http:' ? http : https
  const named = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/)
  const direct = new Set(named.map((host) => host.replace(/:\d+$/, '')))
  return used && !direct.has('*') && !direct.has(hostname) ? used : undefined
}

const agents = new Map<string, Dispatcher>()

function dispatcherFor(proxy: string | undefined, env: NodeJS.ProcessEnv): Dispatcher | undefined {
  const httpProxy = env['http_proxy'] || env['HTTP_PROXY']
  const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'] || httpProxy
  const noProxy = env['no_proxy'] || env['NO_PROXY']
  if (proxy === undefined && httpsProxy === undefined) return undefined
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
