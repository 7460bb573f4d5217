import { AppError, type ErrorCode } from '#shared/util/errors.ts'

/** Runs `work`. Returns undefined if it throws an AppError. @throws other errors */
export function unlessAppError<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Returns a handler for `Promise.catch` that replaces AppErrors with one of `codes` by undefined. */
export function onAppError(...codes: readonly ErrorCode[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof AppError && codes.includes(error.code))) throw error
  }
}
