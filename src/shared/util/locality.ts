/** `auto` goes by the address. */
export const reaches = ['auto', 'local', 'remote'] as const
export type Reach = (typeof reaches)[number]

/** @param url undefined for a provider's own address, which is nobody's machine here */
export function isLocalAddress(url: string | undefined): boolean {
  const host =
    url === undefined
      ? undefined
      : URL.parse(url)
          ?.hostname.toLowerCase()
          .replace(/^\[|\]$|\.$/g, '')
  if (host === undefined) return false
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true
  // The parser writes every form of such an address (`127.1`, `0x7f000001`) with four numbers.
  return /^127(?:\.\d{1,3}){3}$/.test(host) || /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(host)
}

/** @param proxy that the request goes through, if any: what is behind one is only as local as the proxy itself */
export function staysHere(reach: Reach, url: string | undefined, proxy: string | undefined): boolean {
  if (reach !== 'auto') return reach === 'local'
  return isLocalAddress(url) && (proxy === undefined || isLocalAddress(proxy))
}
