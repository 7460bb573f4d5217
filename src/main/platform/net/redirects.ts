import { AppError } from '#shared/util/errors.ts'

const maxCharacters = 200

/** Where an answer points, without what may be secret in it; undefined when it is no redirection. */
export function redirectTarget(status: number | undefined, headers: Headers | undefined): string | undefined {
  if (status === undefined || status < 300 || status > 399) return undefined
  const url = URL.parse(headers?.get('location') ?? '')
  return url ? `${url.origin}${url.pathname}`.slice(0, maxCharacters) : '?'
}

export function redirected(provider: string, target: string, cause: unknown): AppError {
  const message = `${provider} sends requests on to ${target}; nothing was sent there. If it is right, set it as the base URL`
  return new AppError('provider_redirected', message, { provider, target }, { cause })
}
