/**
 * Fetches a picture that a note names by an address on the web, when the reader asked for it. Nothing of the reader goes
 * along but what any request has: no cookies, no referrer. The address is looked up once and that very address is connected
 * to, so that a name cannot lead inside after it was judged; every step of a redirection is judged anew. What comes is
 * bounded in size and time, and is a picture by its own bytes.
 */
import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP } from 'node:net'
import type { Dispatcher, Response } from 'undici'
import { AppError } from '#shared/util/errors.ts'
import { isPublicAddress } from './public-address.ts'

/** A screen full of photograph; what is larger is opened in a browser. */
export const maxPictureBytes = 10 * 1024 * 1024
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

export interface RemotePicture {
  /** MIME, by its bytes. */
  readonly type: string
  readonly bytes: Buffer
}

interface PicturesOptions {
  readonly env: NodeJS.ProcessEnv
  /** Whether an address may be connected to; what is public, when left out. */
  readonly isOpen?: ((address: string) => boolean) | undefined
}

export class RemotePictures {
  readonly #isOpen: (address: string) => boolean
  readonly #env: NodeJS.ProcessEnv
  #dispatcher: Dispatcher | undefined

  constructor({ env, isOpen = isPublicAddress }: PicturesOptions) {
    this.#env = env
    this.#isOpen = isOpen
  }

  /** @throws AppError `picture_refused`, `picture_unavailable`, `picture_unusable` */
  async load(address: string, signal?: AbortSignal): Promise<RemotePicture> {
    const until = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(signal ? [signal] : [])])
    let url = this.#judge(address, undefined)
    for (let step = 0; step <= maxRedirects; step += 1) {
      const response = await this.#ask(url, until)
      const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (next === null) return await read(url, response)
      await response.body?.cancel().catch(() => undefined)
      url = this.#judge(next, url)
    }
    throw unavailable(url, 'too many redirections')
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy()
  }

  /** @param from what redirected to it: a step from https to http is refused */
  #judge(address: string, from: URL | undefined): URL {
    const url = URL.parse(address, from?.href)
    const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && from?.protocol !== 'https:')
    if (!url || !isWeb || url.username !== '' || url.password !== '') throw refused(url?.host ?? '?')
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
    const isNumber = isIP(host) !== 0
    if (isNumber ? !this.#isOpen(host) : isInside(host)) throw refused(url.host)
    return url
  }

  async #ask(url: URL, signal: AbortSignal) {
    try {
      // Loaded when a picture is asked for: it is a megabyte.
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
    // A proxy looks names up itself, outside; what goes past it is judged as ever.
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

  /** As a socket asks for it: addresses that are not open are not there. */
  #lookUp = (
    host: string,
    options: LookupOptions,
    told: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    lookUp(host, { ...options, all: true }, (error, addresses) => {
      if (error) return told(error, [])
      const open = addresses.filter(({ address }) => this.#isOpen(address))
      const [first] = open
      // One that leads inside is none that leads outside as well.
      if (!first || open.length < addresses.length) return told(refused(host), [])
      if (options.all === true) told(null, open)
      else told(null, first.address, first.family)
    })
  }
}

/** Names that only a network's own inside knows. */
function isInside(host: string): boolean {
  return !host.includes('.') || /\.(?:localhost|local|internal|home\.arpa|lan|test|invalid|onion)$/i.test(host)
}

async function read(url: URL, response: Response): Promise<RemotePicture> {
  if (!response.ok) throw unavailable(url, `HTTP ${response.status}`)
  const said = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!said.startsWith('image/')) throw unusable(url)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > maxPictureBytes) throw unusable(url)
      parts.push(part)
    }
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(url, whyOf(error), error)
  }
  const bytes = Buffer.concat(parts)
  const type = pictureType(bytes, said)
  if (type === undefined) throw unusable(url)
  return { type, bytes }
}

function refused(host: string): AppError {
  return new AppError('picture_refused', `${host} is no address on the open web`, { host })
}

function unusable({ host }: URL): AppError {
  const megabytes = maxPictureBytes / 1024 / 1024
  return new AppError('picture_unusable', `what ${host} sent is no picture of up to ${megabytes} MB`, {
    host,
    megabytes,
  })
}

function unavailable({ host }: URL, reason: string, cause?: unknown): AppError {
  return new AppError('picture_unavailable', `${host} did not send the picture: ${reason}`, { host, reason }, { cause })
}

function whyOf(error: unknown): string {
  let last = error
  while (last instanceof Error && last.cause instanceof Error) last = last.cause
  return last instanceof Error ? last.message : String(last)
}

/** @param said by whoever sent it: SVG is text like any other, and has to be called by its name @returns MIME; undefined for what is no picture */
export function pictureType(bytes: Uint8Array, said: string): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1024))
  const text = start.toString('latin1')
  for (const [type, at, mark] of beginnings) if (text.startsWith(mark, at)) return type
  return said === drawing && drawingStart.test(start.toString('utf8')) ? drawing : undefined
}
