/**
 * Fetches a remote image for a note, on the user's request, without cookies and referrer. SSRF guard: the host is
 * resolved once and the request connects to the checked address, which prevents DNS rebinding; every redirect is
 * checked again. Size and time are limited, and the type is detected from the bytes.
 */
import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import type { Dispatcher, Response } from 'undici'
import { AppError } from '#shared/util/errors.ts'
import { isPublicAddress } from './public-address.ts'

/** Largest image, bytes: a full-screen photo fits; larger ones open in the browser. */
export const maxImageBytes = 10 * 1024 * 1024
const patienceMs = 20_000
const maxRedirects = 4

const beginnings: readonly (readonly [type: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1A\n'],
  ['image/jpeg', 0, '\xFF\xD8\xFF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/avif', 4, 'ftypavis'],
  ['image/bmp', 0, 'BM'],
]

const drawing = 'image/svg+xml'
const drawingStart = /^(?:\uFEFF|\s|<\?xml[^>]*\?>|<!--[^]*?-->|<!DOCTYPE[^>]*>)*<svg[\s>]/i

export interface RemoteImage {
  /** MIME type. */
  readonly type: string
  readonly bytes: Buffer
}

interface PicturesOptions {
  readonly env: NodeJS.ProcessEnv
  /** Returns true if connections to the address are allowed; by default, public addresses. */
  readonly isAllowedAddress?: ((address: string) => boolean) | undefined
}

export class RemoteImages {
  readonly #isAllowedAddress: (address: string) => boolean
  readonly #env: NodeJS.ProcessEnv
  #dispatcher: Dispatcher | undefined

  constructor({ env, isAllowedAddress = isPublicAddress }: PicturesOptions) {
    this.#env = env
    this.#isAllowedAddress = isAllowedAddress
  }

  /**
   * Downloads an image within 20 s; at most 10 MB and 4 redirects.
   * @throws AppError 'picture_refused' for a non-public address; 'picture_unavailable' if the download fails;
   * 'picture_unusable' if it is not an image or too large
   */
  async load(address: string, signal?: AbortSignal): Promise<RemoteImage> {
    const deadline = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(signal ? [signal] : [])])
    let url = this.#checkUrl(address, undefined)
    for (let step = 0; step <= maxRedirects; step += 1) {
      const response = await this.#request(url, deadline)
      const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (next === null) return await read(url, response)
      await response.body?.cancel().catch(() => undefined)
      url = this.#checkUrl(next, url)
    }
    throw unavailable(url, 'too many redirects')
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy()
  }

  /** @param from redirecting URL; a redirect from https to http is refused */
  #checkUrl(address: string, from: URL | undefined): URL {
    const url = URL.parse(address, from?.href)
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && from?.protocol !== 'https:')
    if (!url || !isWeb || url.username !== '' || url.password !== '') throw refused(url?.host ?? '?')
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
    const isNumber = isIP(host) !== 0
    if (isNumber ? !this.#isAllowedAddress(host) : isInside(host)) throw refused(url.host)
    return url
  }

  async #request(url: URL, signal: AbortSignal) {
    try {
      // Loaded on first use: undici is 1 MB.
      const undici = await import('undici')
      return await undici.fetch(url, {
        dispatcher: this.#dispatch(undici),
        signal,
        redirect: 'manual',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        headers: { accept: 'image/*', 'user-agent': 'Commonplace' },
      })
    } catch (error) {
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
        if (cause instanceof AppError) throw cause
      throw unavailable(url, whyOf(error), error)
    }
  }

  #dispatch({ Agent, EnvHttpProxyAgent }: typeof import('undici')): Dispatcher {
    const env = this.#env
    const httpProxy = env['http_proxy'] || env['HTTP_PROXY']
    const httpsProxy = env['https_proxy'] || env['HTTPS_PROXY'] || httpProxy
    const noProxy = env['no_proxy'] || env['NO_PROXY']
    const options = { connect: { lookup: this.#lookUp }, connections: 6 }
    // A proxy resolves host names itself, outside; requests that bypass it use the checked lookup.
    this.#dispatcher ??=
      httpsProxy === undefined
        ? new Agent(options)
        : new EnvHttpProxyAgent({
            ...options,
            httpsProxy,
            ...(httpProxy === undefined ? {} : { httpProxy }),
            ...(noProxy === undefined ? {} : { noProxy }),
          })
    return this.#dispatcher
  }

  /** `lookup` function for sockets that returns only allowed addresses. */
  #lookUp = (
    host: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    lookUp(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const allowed = addresses.filter(({ address }) => this.#isAllowedAddress(address))
      const [first] = allowed
      // Refuse a host if any of its addresses is not allowed.
      if (!first || allowed.length < addresses.length) return callback(refused(host), [])
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function isInside(host: string): boolean {
  return !host.includes('.') || /\.(?:localhost|local|internal|home\.arpa|lan|test|invalid|onion)$/i.test(host)
}

async function read(url: URL, response: Response): Promise<RemoteImage> {
  if (!response.ok) throw unavailable(url, `HTTP ${response.status}`)
  const declaredType = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!declaredType.startsWith('image/')) throw unusable(url)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > maxImageBytes) throw unusable(url)
      parts.push(part)
    }
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(url, whyOf(error), error)
  }
  const bytes = Buffer.concat(parts)
  const type = imageType(bytes, declaredType)
  if (type === undefined) throw unusable(url)
  return { type, bytes }
}

function refused(host: string): AppError {
  return new AppError('picture_refused', `${host} is not a public web address`, { host })
}

function unusable({ host }: URL): AppError {
  const megabytes = maxImageBytes / 1024 / 1024
  return new AppError('picture_unusable', `${host} did not return an image of at most ${megabytes} MB`, {
    host,
    megabytes,
  })
}

function unavailable({ host }: URL, reason: string, cause?: unknown): AppError {
  return new AppError('picture_unavailable', `${host} did not return the image: ${reason}`, { host, reason }, { cause })
}

function whyOf(error: unknown): string {
  let last = error
  while (last instanceof Error && last.cause instanceof Error) last = last.cause
  return last instanceof Error ? last.message : String(last)
}

/**
 * Detects the image type from the first bytes. SVG also requires a matching content type, because it is plain text.
 * @param declaredType MIME type from the response header
 * @returns MIME type; undefined if the bytes are not an image
 */
export function imageType(bytes: Uint8Array, declaredType: string): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024))
  const text = start.toString('latin1')
  for (const [type, at, mark] of beginnings) if (text.startsWith(mark, at)) return type
  return declaredType === drawing && drawingStart.test(start.toString('utf8')) ? drawing : undefined
}
