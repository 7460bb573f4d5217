import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { AppError, type ErrorCode } from '#shared/util/errors.ts'
import { toPlainLine, redirectError, parseRetryAfter, type KeyRing } from '#platform'
import { isRecord, parseJson } from '#shared/util/json.ts'
import type { ChatModel, ModelEvent } from '../model.ts'
import { asObject, asIdText } from './lenient-json.ts'

interface ProviderFailure extends ParsedProviderError {
  readonly provider: string
  readonly isTimeout?: boolean
  readonly hasBegun: boolean
  readonly headers?: Headers | undefined
  readonly cause?: unknown
}

const transientCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'provider_rate_limited',
  'provider_overloaded',
  'provider_unavailable',
  'server_down',
  'provider_failed',
  'provider_timeout',
  'provider_cut',
])

const messages = {
  provider_auth: (provider: string) => `${provider} rejected the API key`,
  provider_quota: (provider: string) => `the account with ${provider} has no credit left`,
  provider_rate_limited: (provider: string) => `${provider} limits the rate of requests; try again later`,
  provider_overloaded: (provider: string) => `${provider} is overloaded; try again later`,
  provider_unavailable: (provider: string) => `${provider} cannot be reached; check the network`,
  provider_failed: (provider: string) => `${provider} had an internal error; try again later`,
  provider_timeout: (provider: string) => `${provider} did not answer in time`,
  provider_cut: (provider: string) => `${provider} stopped in the middle of the answer`,
  provider_too_much: (provider: string) => `${provider} exceeded the size limit of an answer and was stopped`,
  provider_garbled: (provider: string) => `${provider} sent an invalid answer`,
  provider_refused: (provider: string) => `${provider} declined to answer this`,
  provider_region: (provider: string) => `${provider} does not serve the country or region of this connection`,
  unknown_model: (provider: string) => `${provider} does not have this model`,
  context_overflow: (provider: string) => `the chat no longer fits into ${provider}'s model`,
} as const satisfies Partial<Record<ErrorCode, (provider: string) => string>>

type KnownFailure = keyof typeof messages

/** Converts a failure into an AppError. `data.reason` is the provider's message; `data.status` is 0 without one. */
function providerFailure(failure: ProviderFailure): AppError {
  const { provider, status, message, cause, headers } = failure
  const redirect = redirectError(provider, status, headers, cause)
  if (redirect) return redirect
  const retryAfterMs = parseRetryAfter(headers)
  const code = codeOf(failure)
  // Without status and kind, the message comes from the client library.
  const reason = status === undefined && failure.kind === '' ? '' : toPlainLine(message)
  const data = {
    provider,
    status: status ?? 0,
    ...(reason === '' ? {} : { reason }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
  if (code === undefined)
    return new AppError('provider_error', `${provider} refused the request: ${reason}`, { ...data, reason }, { cause })
  const sentence = messages[code](provider)
  return new AppError(code, reason === '' ? sentence : `${sentence}: ${reason}`, data, { cause })
}

type ClassifiedFields = Pick<ProviderFailure, 'status' | 'kind' | 'message'>
type ClassificationRule = readonly [code: KnownFailure, matches: (failure: ClassifiedFields, text: string) => boolean]

/**
 * Rules in order of precedence; `text` is kind and message. Messages are checked before the status, as a wrong key, a
 * filter and a blocked country can have the same status.
 */
const classificationRules: readonly ClassificationRule[] = [
  ['provider_garbled', ({ kind }) => kind === nonAnswerKind],
  ['provider_region', (_failure, text) => regionPattern.test(text)],
  ['provider_timeout', ({ status, kind }) => status === 408 || status === 504 || timeoutPattern.test(kind)],
  ['provider_rate_limited', ({ message, status }) => mayBeQuota(status) && rateLimitPattern.test(message)],
  ['provider_quota', ({ status }, text) => status === 402 || (mayBeQuota(status) && quotaPattern.test(text))],
  ['provider_refused', ({ status }, text) => mayBeDenied(status) && moderationPattern.test(text)],
  ['provider_auth', ({ status }, text) => status === 401 || (mayBeDenied(status) && keyPattern.test(text))],
  ['context_overflow', ({ kind }) => tooLongKind.test(kind)],
  ['unknown_model', ({ status }, text) => mayBeUnknown(status) && unknownModelPattern.test(text)],
  ['provider_auth', ({ status }) => status === 403],
  ['provider_rate_limited', ({ status, kind }) => status === 429 || rateLimitKind.test(kind)],
  ['provider_overloaded', ({ status, kind }) => status === 529 || status === 503 || overloadedKind.test(kind)],
  ['context_overflow', ({ status }, text) => mayBeOverflow(status) && overflowPattern.test(text)],
  ['provider_refused', ({ status }, text) => mayBeDenied(status) && filterPattern.test(text)],
  ['provider_failed', ({ status, kind }) => (status !== undefined && status >= 500) || serverErrorKind.test(kind)],
]

const regionPattern =
  /unsupported_country|country, region, or territory|location is not supported|not (supported|available) in your (country|region)/i
const timeoutPattern = /\b(request_|gateway_)?time_?out(_error)?\b/i
const rateLimitPattern =
  /\b(tokens|requests|input tokens|output tokens) per (minute|day|second|hour)\b|\b[RT]P[MD]\b|rate.?limit/i
const quotaPattern =
  /insufficient_quota|exceeded_current_quota|billing|credit balance|exceeded your current quota|payment|insufficient (balance|credits)|out of credits/i
const moderationPattern = /moderation|\bflagged\b|content_policy|content management policy/i
const keyPattern =
  /authentication|invalid_api_key|(incorrect|invalid|missing|expired) api.?key|api.?key (is )?(not valid|invalid|expired|not found|incorrect)/i
const tooLongKind = /context_length_exceeded|context_window_exceeded|request_too_large|string_above_max_length/i
/** Anthropic names only the model: `model: claude-1`. */
const unknownModelPattern =
  /model_not_found|\bmodels?\b.{0,80}?\b(?:not (?:found|exist)|(?:does not|doesn't) exist)|(?:unknown|invalid|no such) model|not a valid model|^not_found_error model: \S+$/i
const rateLimitKind = /rate_?limit|too_many_requests|resource_exhausted/i
const overloadedKind = /overloaded|slow_down|service_?unavailable|insufficient_system_resource/i
const serverErrorKind =
  /\b(internal_)?server_?error\b|\binternal(_error)?\b|\bapi_error\b|upstream_error|internalservererror/i
const overflowPattern =
  /context.{0,20}(length|window|size|limit|overflow)|prompt is too long|too many tokens|maximum.{0,20}tokens|input length/i
const filterPattern = /content_filter|content_policy|safety|refus|invalid_prompt/i

type Status = number | undefined
/** Within a stream the status is always 200, so only kind and message count. */
const mayBeQuota = (status: Status) => [undefined, 400, 403, 413, 429].includes(status)
const mayBeDenied = (status: Status) => [undefined, 400, 403].includes(status)
const mayBeUnknown = (status: Status) => [400, 403, 404].includes(status ?? 0)
const mayBeOverflow = (status = 400) => [400, 413, 422].includes(status) || status >= 500

function codeOf(failure: ProviderFailure): KnownFailure | undefined {
  if (failure.isTimeout) return 'provider_timeout'
  const text = `${failure.kind} ${failure.message}`
  const classifiedCode = classificationRules.find(([, matches]) => matches(failure, text))?.[0]
  if (classifiedCode !== undefined) return classifiedCode
  if (failure.status !== undefined || failure.kind !== '') return undefined
  return failure.hasBegun ? 'provider_cut' : 'provider_unavailable'
}

export function createFailure(code: KnownFailure, provider: string, cause?: unknown): AppError {
  return new AppError(code, messages[code](provider), { provider, status: 0 }, { cause })
}

export function isTransient(error: AppError): boolean {
  return transientCodes.has(error.code)
}

type ClientLibrary = Pick<
  typeof Anthropic | typeof OpenAI,
  'APIError' | 'APIUserAbortError' | 'APIConnectionTimeoutError'
>

/** Converts an error of a provider's client library; returns other errors unchanged. The library's abort is an `Error`. */
export function toProviderError(library: ClientLibrary, error: unknown, provider: string, hasBegun = false): unknown {
  if (error instanceof library.APIUserAbortError) return new DOMException(error.message, 'AbortError')
  // The request was not sent: see `Outbound`.
  if (error instanceof library.APIError && error.cause instanceof AppError) return error.cause
  // Node's fetch reports a lost connection as a TypeError. An event is not JSON if it was cut off, or if a proxy inserted text.
  const isConnectionLost =
    error instanceof TypeError && /terminated|fetch failed|network|socket|aborted/i.test(error.message)
  if (isConnectionLost || error instanceof SyntaxError) return createFailure('provider_cut', provider, error)
  // The client library failed on an unexpected response shape.
  if (error instanceof TypeError) return createFailure('provider_garbled', provider, error)
  if (!(error instanceof library.APIError)) return error
  return providerFailure({
    provider,
    ...parseProviderError(error.error, error.status, error.message),
    hasBegun,
    isTimeout: error instanceof library.APIConnectionTimeoutError,
    headers: error.headers,
    cause: error,
  })
}

/** Converts an error event of a stream, which the client library ignores. */
export function toStreamError(provider: string, error: unknown): Error {
  return providerFailure({ provider, ...parseProviderError(error, undefined, 'no reason given'), hasBegun: true })
}

interface StreamedAnswer {
  readonly hasEnded: boolean
  addEvent(event: Readonly<Record<string, unknown>>): Iterable<ModelEvent>
  flush?(): Iterable<ModelEvent>
}

/** Ignores connection errors after the end of the answer. @throws AppError `provider_…`, or the abort error */
export async function* readStream(
  library: ClientLibrary,
  provider: string,
  answer: StreamedAnswer,
  open: () => Promise<AsyncIterable<unknown>>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let hasBegun = false
  let failure: unknown
  try {
    const events = await open()
    hasBegun = true
    for await (const event of events) yield* answer.addEvent(asObject(event))
  } catch (error) {
    if (!answer.hasEnded || signal.aborted || error instanceof AppError)
      failure = toProviderError(library, error, provider, hasBegun)
  }
  yield* answer.flush?.() ?? []
  if (failure !== undefined) throw failure
}

/** Removes API keys from an error: servers may repeat the request in their messages. */
export function redactSecrets({ code, message, data, cause }: AppError, keys: Pick<KeyRing, 'scrub'>): AppError {
  const scrub = (value: unknown) => (typeof value === 'string' ? keys.scrub(value) : value)
  const redactedData = Object.entries(data).map(([name, value]) => [name, scrub(value)])
  const options = cause instanceof Error ? { cause: new Error(keys.scrub(cause.message)) } : undefined
  return new AppError(code, keys.scrub(message), Object.fromEntries(redactedData), options)
}

interface ParsedProviderError {
  /** HTTP status of the response or named in its body; undefined if there is neither. */
  readonly status: number | undefined
  /** The provider's identifiers for the failure, such as `overloaded_error`, separated by spaces. */
  readonly kind: string
  readonly message: string
}

/**
 * @param body parsed body, or its text if it is not JSON @param status HTTP status; undefined if it is 200
 * @param message used if the body has none
 */
function parseProviderError(body: unknown, status: number | undefined, message: string): ParsedProviderError {
  const outer = asObject(Array.isArray(body) ? body[0] : body)
  const inner = asObject(outer['error'])
  const fields = Object.keys(inner).length > 0 ? inner : outer
  const upstreamError = parseUpstreamError(asObject(fields['metadata'])['raw'])
  const identifiers = [fields['code'], fields['type'], fields['status']].map(asIdText)
  const foundStatus = status ?? identifiers.map(Number).find((number) => number >= 400 && number < 600)
  const foundMessage = upstreamError?.message ?? messageOf(fields) ?? (typeof body === 'string' ? body : undefined)
  const kinds = [...identifiers, upstreamError?.kind ?? ''].filter((name) => name !== '' && !/^(\d+|error)$/.test(name))
  return {
    status: foundStatus,
    // A server that sends a message is reachable, so the kind must not be empty.
    kind: kinds.length > 0 || foundMessage === undefined ? kinds.join(' ') : unnamedKind,
    // Client libraries put the status before the message.
    message: foundMessage ?? message.replace(/^\d{3} (status code \(no body\)$)?/, ''),
  }
}

const unnamedKind = 'unnamed'

/** Kind of a response that is not an answer of the provider, such as a proxy's error page. */
export const nonAnswerKind = 'no_answer'

function messageOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['message', 'error', 'detail', 'error_description']) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value
    if (isRecord(value) || Array.isArray(value)) return JSON.stringify(value)
  }
  return undefined
}

/** Parses the upstream provider's error, which routers pass on as text. */
function parseUpstreamError(raw: unknown): ParsedProviderError | undefined {
  if (typeof raw !== 'string' || raw.trim() === '') return undefined
  const parsedBody = parseJson(raw)
  return isRecord(parsedBody) || Array.isArray(parsedBody)
    ? parseProviderError(parsedBody, undefined, raw)
    : { status: undefined, kind: '', message: raw }
}

/** Returns the JSON Schema of an object with all of these properties, in the form that every provider accepts. */
export function objectSchema(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Part of a request that a server can refuse. */
type Part = 'schema' | 'schema beside tools' | 'tools' | 'usage' | 'thinking' | 'partial thinking'

const refused = new Set<string>()

const keyOf = (server: string, model: string, part: Part) => `${server.replace(/\/+$/, '')} ${model} ${part}`

export const recordRefusal = (server: string, model: string, part: Part) => refused.add(keyOf(server, model, part))

export const hasRefused = (server: string, model: string, part: Part) => refused.has(keyOf(server, model, part))

/** Repeats a request without its schema if the server refuses it. @param server its address */
export function withAnswerSchema(model: ChatModel, server = ''): ChatModel {
  return {
    ...model,
    async *stream({ answerSchema, ...request }, signal) {
      const part = request.tools.length > 0 ? 'schema beside tools' : 'schema'
      if (answerSchema && !hasRefused(server, model.id, part)) {
        try {
          return yield* model.stream({ ...request, answerSchema }, signal)
        } catch (error) {
          if (!isRefusal(error)) throw error
        }
        for await (const event of model.stream(request, signal)) {
          // Without the schema, the same request was accepted.
          recordRefusal(server, model.id, part)
          yield event
        }
      } else yield* model.stream(request, signal)
    },
  }
}

/** llama.cpp refuses a schema with status 500. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code === 'context_overflow') return false
  const { status } = error.data
  const isMalformed = status === 400 || status === 404 || status === 422
  return isMalformed || /response_format|json_schema|output_config|grammar|structured output/i.test(error.message)
}
