/** How requests to a provider travel: directly, or through a proxy from the configuration or the environment. */
import type { Dispatcher } from 'undici'
import type { Fetch } from '#platform'

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
  const http = env['http_proxy'] || env['HTTP_PROXY']
  const https = env['https_proxy'] || env['HTTPS_PROXY'] || http
  const used = protocol === 'http:' ? http : https
  const named = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/)
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
