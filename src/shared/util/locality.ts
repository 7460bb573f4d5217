/** `auto` derives locality from the address. */
export const dataLocalities = ['auto', 'local', 'remote'] as const
export type DataLocality = (typeof dataLocalities)[number]

/**
 * Returns true for a loopback host (`localhost`, `127.0.0.0/8`, `::1`).
 * @param url undefined for a provider's default address (remote)
 */
export function isLocalAddress(url: string | undefined): boolean {
  const host = URL.parse(url ?? '')?.hostname.replace(/^\[|\]$|\.$/g, '')
  if (host === undefined) return false
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true
  // URL.parse normalizes short and hex forms (`127.1`, `0x7f000001`) to four decimal numbers.
  return /^127(?:\.\d{1,3}){3}$/.test(host) || /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(host)
}

/**
 * Returns true if a request to `url` stays on this machine.
 * @param proxy the proxy of the request, if any; a local URL behind a remote proxy is not local
 */
export function isLocalEndpoint(locality: DataLocality, url: string | undefined, proxy: string | undefined): boolean {
  if (locality !== 'auto') return locality === 'local'
  return isLocalAddress(url) && (proxy === undefined || isLocalAddress(proxy))
}
