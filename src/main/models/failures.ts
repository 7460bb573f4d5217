/** Turns what a provider's client throws into a failure of ours: a code, a sentence, what to do, and whether to try again. */
import { AppError, type ErrorCode } from '../../shared/errors.ts'
import { redirected, redirectTarget, retryAfterOf } from '../network/index.ts'

/** What is known of a failed request, whatever client told it. */
interface ProviderFailure {
  readonly provider: string
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined
  /** The provider's own name for the failure, such as `overloaded_error` or `insufficient_quota`. */
  readonly kind: string
  readonly message: string
  readonly isTimeout: boolean
  /** The answer had begun when it failed. */
  readonly hasBegun: boolean
  /** What came with the answer. */
  readonly headers: Headers | undefined
  readonly cause: unknown
}

/** Wordings of the providers for a request that does not fit into the window. */
const overflow =
  /context.{0,20}(length|window|size|limit|overflow)|prompt is too long|too many tokens|maximum.{0,20}tokens|input length/i
const quota = /insufficient_quota|billing|credit balance|exceeded your current quota|payment|insufficient balance/i
const filtered = /content_filter|content_policy|content management policy|safety|refus/i

/** Failures that pass by themselves. */
const passing: ReadonlySet<string> = new Set<ErrorCode>([
  'provider_rate_limited',
  'provider_overloaded',
  'provider_unavailable',
  'provider_timeout',
  'provider_cut',
])

const sentences = {
  provider_auth: (provider: string) => `${provider} refused the API key`,
  provider_quota: (provider: string) => `the account with ${provider} has no credit left`,
  provider_rate_limited: (provider: string) => `${provider} limits the rate of requests; try again later`,
  provider_overloaded: (provider: string) => `${provider} is overloaded; try again later`,
  provider_unavailable: (provider: string) => `${provider} cannot be reached; check the network`,
  provider_timeout: (provider: string) => `${provider} did not answer in time`,
  provider_cut: (provider: string) => `${provider} broke off in the middle of the answer`,
  provider_too_much: (provider: string) => `${provider} sent more than an answer can be, and was stopped`,
  provider_garbled: (provider: string) => `${provider} sent something that cannot be read as an answer`,
  provider_refused: (provider: string) => `${provider} declined to answer this`,
  context_overflow: (provider: string) => `the conversation no longer fits into ${provider}'s model`,
} as const satisfies Partial<Record<ErrorCode, (provider: string) => string>>

type KnownFailure = keyof typeof sentences

export function providerFailure(failure: ProviderFailure): AppError {
  const { provider, status, message, cause, headers } = failure
  const target = redirectTarget(status, headers)
  if (target !== undefined) return redirected(provider, target, cause)
  const retryAfterMs = retryAfterOf(headers)
  const code = codeOf(failure)
  const data = {
    provider,
    status: status ?? 0,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
  if (code !== undefined) return new AppError(code, sentences[code](provider), data, { cause })
  const reason = message.slice(0, 300).toWellFormed()
  return new AppError('provider_error', `${provider} refused the request: ${reason}`, { ...data, reason }, { cause })
}

function codeOf({ status, kind, message, isTimeout, hasBegun }: ProviderFailure): KnownFailure | undefined {
  const said = `${kind} ${message}`
  if (isTimeout || status === 408 || status === 504) return 'provider_timeout'
  if (status === 402 || (quota.test(said) && (status === 400 || status === 403 || status === 429)))
    return 'provider_quota'
  if (status === 401 || status === 403 || kind === 'authentication_error') return 'provider_auth'
  if (status === 429 || kind === 'rate_limit_error') return 'provider_rate_limited'
  if (status === 529 || status === 503 || kind === 'overloaded_error') return 'provider_overloaded'
  if ((status === 400 || status === 413 || status === undefined) && overflow.test(said)) return 'context_overflow'
  if (status === 400 && filtered.test(said)) return 'provider_refused'
  if (status === undefined) return kind !== '' ? undefined : hasBegun ? 'provider_cut' : 'provider_unavailable'
  return status >= 500 ? 'provider_unavailable' : undefined
}

/** A failure of a kind that no status tells. */
export function failure(code: KnownFailure, provider: string, cause?: unknown): AppError {
  return new AppError(code, sentences[code](provider), { provider, status: 0 }, { cause })
}

export function isPassing(error: AppError): boolean {
  return passing.has(error.code)
}

/** The stream's connection was lost: Node's fetch says so with a plain TypeError. */
export function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError && /terminated|fetch failed|network|socket|aborted/i.test(error.message)
}

/** What a stream throws that is no answer of the protocol: no JSON, or not of the shape that its client takes for granted. */
export function isGarbled(error: unknown): boolean {
  return error instanceof SyntaxError || error instanceof TypeError
}
