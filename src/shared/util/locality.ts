/** `auto` derives locality from the address. */
export const dataLocalities = ['auto', 'local', 'remote'] as const
export type DataLocality = (typeof dataLocalities)[number]

/** Returns true for a loopback host. @param url undefined for a provider's default address (remote) */
export function isLocalAddress(url: string | undefined): boolean {
  const host = URL.parse(url ?? '')?.hostname.replace(/^\[|\]$|\.$/g, '')
  if (host === undefined) return false
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true
  // URL.parse normalizes short and hex forms (`127.1`, `0x7f000001`) to four decimal numbers.
  return /^127(?:\.\d{1,3}){3}$/.test(host) || /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(host)
}

/**
 * Completes the address of a model server as people type it: `localhost:8080` is `http://localhost:8080/v1`.
 * @param isCompatible true for a server with OpenAI's protocol, whose path is nearly always `/v1`
 * @returns undefined if it is no HTTP address
 */
export function completeBaseUrl(address: string, isCompatible: boolean): string | undefined {
  const plain = address
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '')
  const isNamed = /^[a-z]+:\/\//i.test(plain)
  const scheme = isLocalAddress(`http://${plain}`) || /:\d+(?:\/|$)/.test(plain) ? 'http' : 'https'
  const url = URL.parse(isNamed ? plain : `${scheme}://${plain}`)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  const text = isNamed ? plain : `${scheme}://${plain}`
  return isCompatible && url.pathname === '/' && url.search === '' ? `${text}/v1` : text
}

/** @param proxy of the request, if any; a local URL behind a remote proxy is not local */
export function isLocalEndpoint(locality: DataLocality, url: string | undefined, proxy: string | undefined): boolean {
  if (locality !== 'auto') return locality === 'local'
  return isLocalAddress(url) && (proxy === undefined || isLocalAddress(proxy))
}
