/** The sentence for a failure, in the user's language. */
import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { errorCodes, type ErrorCode } from '../../shared/errors.ts'

export function explainError(error: unknown): string {
  if (error instanceof ORPCError && isErrorCode(error.code))
    return explainCode(error.code, { ...(error.data as object) })
  return i18next.t('error.unreachable')
}

export function explainCode(code: string, data: Record<string, unknown>): string {
  if (code === 'step_limit') return i18next.t('error.step_limit')
  if (!isErrorCode(code)) return i18next.t('error.internal', { reference: code })
  return String(i18next.t(`error.${code}` as 'error.internal', data as { reference: string }))
}

export function isErrorOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof ORPCError && error.code === code
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code)
}
