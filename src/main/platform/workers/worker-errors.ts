import { ORPCError } from '@orpc/client'
import { AppError, errorCodes, type ErrorCode, type ErrorData } from '#shared/util/errors.ts'

/** Converts an AppError to an ORPCError; returns other errors unchanged. */
export function toOrpcError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  return new ORPCError(error.code, { message: error.message, data: error.data, cause: error })
}

/** Restores an AppError from an ORPCError with a known code; returns other errors unchanged. */
export function fromOrpcError(error: unknown): unknown {
  if (!(error instanceof ORPCError) || !(errorCodes as readonly string[]).includes(error.code)) return error
  return new AppError(error.code as ErrorCode, error.message, (error.data ?? {}) as ErrorData, { cause: error })
}
