import type { Dispatcher } from 'undici'
import type { Fetch } from './bounded-fetch.ts'

/** Returns a `fetch` through `proxy` or the proxies of the environment; undefined if neither is set. */
export function proxyFetch(proxy: string | undefined, env: NodeJS.ProcessEnv): Fetch | undefined {
  const { httpsProxy } = environmentProxies(env)
  if (proxy === undefined && httpsProxy === '') return undefined
  const fetchThroughProxy = async (input: string, init?: object) => {
    const undici = await loadUndici()
    return undici.fetch(input, { ...init, dispatcher: dispatcherFor(undici, proxy, env) })
  }
  // Only the types differ; the dispatcher needs undici's own fetch.
  return fetchThroughProxy as unknown as Fetch
}

/** Loads it on demand: undici takes a megabyte. */
export const loadUndici = () => import('undici')

let unlimited: Dispatcher | undefined

/** The global `fetch` has limits of five minutes; a model of this machine may need longer to read a prompt. */
export const unlimitedFetch = (async (input: string, init?: object) => {
  const { Agent, fetch } = await loadUndici()
  unlimited ??= new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return fetch(input, { ...init, dispatcher: unlimited })
}) as unknown as Fetch

/** Returns the proxy's URL for requests to `url`, HTTPS if undefined; undefined for direct connections. */
export function proxyFor(url: string | undefined, proxy: string | undefined, env: NodeJS.ProcessEnv) {
  if (proxy !== undefined) return proxy
  const { protocol, hostname } = (url === undefined ? null : URL.parse(url)) ?? { protocol: 'https:', hostname: '' }
  const { httpProxy, httpsProxy, noProxy } = environmentProxies(env)
  const environmentProxy = protocol === 'http:' ? httpProxy : httpsProxy
  const directHosts = new Set(noProxy.split(/[\s,]+/).map((host) => host.replace(/:\d+$/, '')))
  const isDirect = directHosts.has('*') || directHosts.has(hostname)
  return environmentProxy && !isDirect ? environmentProxy : undefined
}

const dispatchers = new Map<string, Dispatcher>()

/** Returns the proxies of the environment; empty texts if there are none. */
export function environmentProxies(env: NodeJS.ProcessEnv) {
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
