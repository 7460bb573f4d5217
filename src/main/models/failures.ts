/** Turns what a provider's client throws into a failure of ours: a code, a sentence, and what to do. */
import { AppError } from '../../shared/errors.ts'

interface ProviderFailure {
  readonly provider: string
  readonly status: number | undefined
  readonly message: string
  readonly cause: unknown
}

/** Wordings of the providers for a request that does not fit into the window. */
const overflow =
  /context.{0,20}(length|window|size|limit|overflow)|prompt is too long|too many tokens|maximum.{0,20}tokens|input length/i

export function providerFailure({ provider, status, message, cause }: ProviderFailure): AppError {
  const data = { provider, status: status ?? 0 }
  const options = { cause }
  if (status === undefined)
    return new AppError('provider_unavailable', `${provider} cannot be reached; check the network`, data, options)
  if (status === 401 || status === 403)
    return new AppError('provider_auth', `${provider} refused the API key`, data, options)
  if (status === 429)
    return new AppError(
      'provider_rate_limited',
      `${provider} limits the rate of requests; try again later`,
      data,
      options,
    )
  if ((status === 400 || status === 413) && overflow.test(message)) {
    return new AppError('context_overflow', `the conversation no longer fits into ${provider}'s model`, data, options)
  }
  if (status >= 500)
    return new AppError(
      'provider_unavailable',
      `${provider} is out of order (${status}); try again later`,
      data,
      options,
    )
  return new AppError(
    'provider_error',
    `${provider} refused the request: ${message}`,
    { ...data, reason: message.slice(0, 300) },
    options,
  )
}

/** The stream ended before the answer did. */
export function cutStream(provider: string): AppError {
  return new AppError('provider_unavailable', `${provider} broke off in the middle of the answer`, {
    provider,
    status: 0,
  })
}
