import { AppError } from '#shared/util/errors.ts'

const maxCharacters = 200

/**
 * Returns the target of a redirect without query and fragment (possible secrets); `?` if it is not a valid URL.
 * @returns undefined if the response is not a redirect
 */
export function redirectTarget(status: number | undefined, headers: Headers | undefined): string | undefined {
  if (status === undefined || status < 300 || status > 399) return undefined
  const url = URL.parse(headers?.get('location') ?? '')
  return url ? `${url.origin}${url.pathname}`.slice(0, maxCharacters) : '?'
}

export function redirectError(provider: string, target: string, cause: unknown): AppError {
  const message = `${provider} redirects to ${target}; the request was not sent there. If that address is correct, set it as the base URL`
  return new AppError('provider_redirected', message, { provider, target }, { cause })
}
