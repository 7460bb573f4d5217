/** Failures as they cross the boundary: expected ones keep their code, a wrong request says what is wrong, all else gets a log reference. */
import { ORPCError, ValidationError } from '@orpc/server'
import { AppError } from '#shared/util/errors.ts'
import type { Log } from '#platform'

/** A text or a list that is longer than the contract takes it (shared/limits.ts). */
function tooLongOf(issues: ValidationError['issues']) {
  for (const issue of issues) {
    const { code, origin, maximum } = issue as { code?: unknown; origin?: unknown; maximum?: unknown }
    if (code !== 'too_big' || typeof maximum !== 'number' || (origin !== 'string' && origin !== 'array')) continue
    const field = (issue.path ?? []).map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    const unit = origin === 'string' ? 'characters' : 'entries'
    const message = `${field} is too long: at most ${maximum.toLocaleString('en')} ${unit} can be taken`
    return { message, data: { field, limit: maximum } }
  }
  return undefined
}

export function toWire(error: unknown, log: Log, path: string): unknown {
  if (error instanceof AppError)
    return new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError) {
    const tooLong = tooLongOf(error.cause.issues)
    if (tooLong) return new ORPCError('input_too_long', { ...tooLong, cause: error })
    const reason = error.cause.issues.map((issue) => issue.message).join('; ')
    return new ORPCError('input_invalid', {
      message: `the request is not right: ${reason}`,
      data: { reason },
      cause: error,
    })
  }
  if (error instanceof ORPCError) return error
  if (error instanceof Error && error.name === 'AbortError') return error
  const reference = log.fault(error, path)
  return new ORPCError('internal', {
    message: `something went wrong (log reference ${reference})`,
    data: { reference },
    cause: error,
  })
}
