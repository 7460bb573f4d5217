/**
 * Fetches a remote image for a note, on the user's request, without cookies and referrer. SSRF guard: the host is
 * resolved once and the request connects to the checked address, which prevents DNS rebinding; every redirect is
 * checked as well. Size and time are limited, and the type is detected from the bytes.
 */
import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP, BlockList } from 'node:net'
import type { Dispatcher } from 'undici'
import { AppError, rootCauseMessage } from '#shared/util/errors.ts'
import { mimeTypeOf, type Fetch, environmentProxies, loadUndici } from './bounded-fetch.ts'
import type { Outbound, RequestOrigin } from './outbound.ts'

/** Largest image, bytes: a full-screen photo fits; larger ones open in the browser. */
export const maxImageBytes = 10 * 1024 * 1024
const timeoutMs = 20_000
const maxRedirects = 4
const localTopDomain = /\.(?:localhost|local|internal|home\.arpa|lan|test|invalid|onion)$/i

const signatures: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1A\n'],
  ['image/jpeg', 0, '\xFF\xD8\xFF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/avif', 4, 'ftypavis'],
  ['image/bmp', 0, 'BM'],
]

const svgType = 'image/svg+xml'
const svgStart = /^(?:\uFEFF|\s|<\?xml[^>]*\?>|<!--[^]*?-->|<!DOCTYPE[^>]*>)*<svg[\s>]/i

type ImageOrigin = Pick<RequestOrigin, 'isPrivate' | 'isAllowed'>

interface RemoteImagesOptions {
  readonly env: NodeJS.ProcessEnv
  readonly outbound: Outbound
  readonly isAllowedAddress?: ((address: string) => boolean) | undefined
}

export function openRemoteImages({ env, outbound, isAllowedAddress = isPublicAddress }: RemoteImagesOptions) {
  let agent: Dispatcher | undefined

  /** A redirect from https to http is refused. */
  function checkUrl(address: string, from: URL | undefined): URL {
    const url = URL.parse(address, from?.href)
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && from?.protocol !== 'https:')
    if (!url || !isWeb || url.username !== '' || url.password !== '') throw refusedError(url?.host ?? '?')
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
    const isLocalName = !host.includes('.') || localTopDomain.test(host)
    if (isIP(host) === 0 ? isLocalName : !isAllowedAddress(host)) throw refusedError(url.host)
    return url
  }

  async function request(url: URL, origin: ImageOrigin, signal: AbortSignal) {
    try {
      const undici = await loadUndici()
      const dispatcher = dispatcherFor(undici)
      const send = (address: string, init: object) => undici.fetch(address, { ...init, dispatcher })
      return await outbound.fetch({ purpose: 'picture', ...origin }, send as unknown as Fetch)(url.href, {
        signal,
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        headers: { accept: 'image/*', 'user-agent': 'Commonplace' },
      })
    } catch (error) {
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
        if (cause instanceof AppError) throw cause
      throw unavailableError(url, rootCauseMessage(error), error)
    }
  }

  function dispatcherFor({ Agent, EnvHttpProxyAgent }: typeof import('undici')): Dispatcher {
    const proxies = environmentProxies(env)
    const options = { connect: { lookup: lookUpAllowed }, connections: 6 }
    // A proxy resolves host names itself; requests that bypass the proxy use the checked lookup.
    agent ??= proxies.httpsProxy === '' ? new Agent(options) : new EnvHttpProxyAgent({ ...options, ...proxies })
    return agent
  }

  function lookUpAllowed(
    host: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void {
    lookUp(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const allowed = addresses.filter(({ address }) => isAllowedAddress(address))
      const [first] = allowed
      // The host is refused if any of its addresses is not allowed.
      if (!first || allowed.length < addresses.length) return callback(refusedError(host), [])
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }

  return {
    /** @throws AppError 'private_stays_here', 'picture_refused', 'picture_unavailable', 'picture_unusable' */
    async load(address: string, origin: ImageOrigin, signal?: AbortSignal) {
      const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
      let url = checkUrl(address, undefined)
      for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
        const response = await request(url, origin, deadline)
        const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
        if (next === null) return await readImage(url, response)
        await response.body?.cancel().catch(() => undefined)
        url = checkUrl(next, url)
      }
      throw unavailableError(url, 'too many redirects')
    },
    close: async (): Promise<void> => agent?.destroy(),
  }
}

async function readImage(url: URL, response: Response) {
  if (!response.ok) throw unavailableError(url, `HTTP ${response.status}`)
  const declaredType = mimeTypeOf(response)
  if (!declaredType.startsWith('image/')) throw unusableError(url)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxImageBytes) throw unusableError(url)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof AppError ? error : unavailableError(url, rootCauseMessage(error), error)
  }
  const bytes = Buffer.concat(chunks)
  const type = imageType(bytes, declaredType)
  if (type === undefined) throw unusableError(url)
  return { type, bytes }
}

function refusedError(host: string): AppError {
  return new AppError('picture_refused', `${host} is not a public web address`, { host })
}

function unusableError({ host }: URL): AppError {
  const megabytes = maxImageBytes / 1024 / 1024
  const message = `${host} did not return an image of at most ${megabytes} MB`
  return new AppError('picture_unusable', message, { host, megabytes })
}

function unavailableError({ host }: URL, reason: string, cause?: unknown): AppError {
  return new AppError('picture_unavailable', `${host} did not return the image: ${reason}`, { host, reason }, { cause })
}

/** SVG requires a matching content type, because it is plain text. @returns MIME type; undefined: not an image */
export function imageType(bytes: Uint8Array, declaredType: string): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024))
  const text = start.toString('latin1')
  for (const [type, offset, signature] of signatures) if (text.startsWith(signature, offset)) return type
  return declaredType === svgType && svgStart.test(start.toString('utf8')) ? svgType : undefined
}

const nonPublicRanges = new BlockList()
/** Globally routable IPv6 addresses. `nonPublicRanges` excludes the parts that are reserved or embed IPv4 addresses. */
const globalIpv6Ranges = new BlockList()
globalIpv6Ranges.addSubnet('2000::', 3, 'ipv6')

const reserved = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3
  2001::/23 2001:db8::/32 2002::/16 3fff::/20`
for (const [, address = '', bits] of reserved.matchAll(/(\S+)\/(\d+)/g))
  nonPublicRanges.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Neither loopback, private, link-local nor reserved; without brackets. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !nonPublicRanges.check(address, 'ipv4')
  return version === 6 && globalIpv6Ranges.check(address, 'ipv6') && !nonPublicRanges.check(address, 'ipv6')
}
