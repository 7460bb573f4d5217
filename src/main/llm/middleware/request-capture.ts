import type { WireRequest } from '#shared/contract/index.ts'
import { maxCapturedRequest, maxCapturedImage } from '#shared/util/limits.ts'
import type { Fetch } from '#platform'
import type { ModelEvent } from '../model.ts'

export type OnRequestSent = (sent: WireRequest) => void

/** Wraps a `fetch` to report each request before it is sent. */
export function capturingFetch(inner: Fetch, onSent: OnRequestSent): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const body = typeof init?.body === 'string' ? init.body : ''
    onSent({ method: init?.method ?? 'GET', url, headers: [...new Headers(init?.headers)], body, leftOut: 0 })
    return inner(input, init)
  }
}

export interface RequestSecrets {
  /** Names of headers whose values come from the environment. */
  readonly headers: readonly string[]
  readonly values: readonly string[]
}

const redacted = '[redacted]'
const secretName = /auth|cookie|credential|key|passw|secret|session|signature|token/i
const secretValue = /^(basic|bearer|token)\s/i
/** Characters; shorter values would match ordinary text. */
const minSecret = 6

/**
 * Redacts a request for storage and display: headers by name, secrets by value anywhere. Shortens images and cuts long
 * bodies in the middle; `leftOut` counts the characters.
 * @param scrub redacts other known secrets
 */
export function redactRequest(
  { method, url, headers, body }: WireRequest,
  secrets: RequestSecrets,
  scrub: (text: string) => string,
): WireRequest {
  const clean = (text: string) => scrub(redactValues(text, secrets.values))
  const secretHeaders = new Set(secrets.headers.map((name) => name.toLowerCase()))
  const isSecret = (name: string, value: string) =>
    secretName.test(name) || secretHeaders.has(name.toLowerCase()) || secretValue.test(value)
  const short = shortenImages(body)
  // Redact before cutting: a cut secret would not be recognised.
  const kept = withoutMiddle(clean(short.body))
  return {
    method,
    url: clean(redactUrl(url)),
    headers: headers.map(([name, value]) => [name, isSecret(name, value) ? redacted : clean(value)]),
    body: kept.body,
    leftOut: short.leftOut + kept.leftOut,
  }
}

/** Redacts values as they are and in their JSON and URL encodings. */
function redactValues(text: string, values: readonly string[]): string {
  const forms = values
    .flatMap((value) =>
      value.length < minSecret ? [] : [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)],
    )
    .sort((one, other) => other.length - one.length)
  return [...new Set(forms)].reduce((clean, form) => clean.replaceAll(form, redacted), text)
}

function redactUrl(sent: string): string {
  const url = URL.parse(sent)
  if (!url) return sent
  const secret = [...url.searchParams.keys()].filter((name) => secretName.test(name))
  // Return the original URL unchanged if it has no secrets; URL.href would normalise it.
  if (secret.length === 0 && url.username === '' && url.password === '') return sent
  for (const name of secret) url.searchParams.set(name, redacted)
  if (url.username !== '') url.username = 'redacted'
  if (url.password !== '') url.password = 'redacted'
  return url.href
}

/** Images in the formats of the three APIs. Quotes within texts are escaped, so texts cannot match. */
const imagePattern = /("type":"base64","data":"|"(?:url|image_url)":"data:[\w.+/-]+;base64,)([\w+/=-]+)"/g

function shortenImages(body: string): { body: string; leftOut: number } {
  let leftOut = 0
  const short = body.replace(imagePattern, (whole, before: string, data: string) => {
    if (data.length <= maxCapturedImage) return whole
    const rest = data.length - maxCapturedImage
    leftOut += rest
    return `${before}${data.slice(0, maxCapturedImage)}… [${rest} characters of base64 left out]"`
  })
  return { body: short, leftOut }
}

function withoutMiddle(body: string): { body: string; leftOut: number } {
  const leftOut = body.length - maxCapturedRequest
  if (leftOut <= 0) return { body, leftOut: 0 }
  const half = maxCapturedRequest / 2
  const head = body.slice(0, half).toWellFormed()
  const tail = body.slice(-half).toWellFormed()
  return { body: `${head}\n… [${leftOut} characters left out]\n${tail}`, leftOut }
}

/** Merges a stream's events with a `sent` event for each request, as soon as it is sent. */
export async function* withRequestEvents(
  open: (onSent: OnRequestSent) => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  const pendingRequests: WireRequest[] = []
  let wake: () => void = () => undefined
  const events = open((sent) => {
    pendingRequests.push(sent)
    wake()
  })[Symbol.asyncIterator]()
  try {
    for (let next = events.next(); ;) {
      const requestSent = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined)
      })
      if (pendingRequests.length > 0) wake()
      const first = await Promise.race([requestSent, next])
      for (const request of pendingRequests.splice(0)) yield { type: 'sent', request }
      if (first === undefined) continue
      if (first.done) return
      yield first.value
      next = events.next()
    }
  } finally {
    // Not awaited: a hanging stream would block here.
    void events.return?.().catch(() => undefined)
  }
}
