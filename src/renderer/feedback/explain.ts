/** The sentence for a failure, in the user's language. */
import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import type { ConfigFault } from '../../shared/contract/index.ts'
import { errorCodes, type ErrorCode } from '../../shared/errors.ts'

export function explainError(error: unknown): string {
  if (error instanceof ORPCError && isErrorCode(error.code))
    return explainCode(error.code, { ...(error.data as object) })
  return i18next.t('error.unreachable')
}

export function explainCode(code: string, data: Record<string, unknown>): string {
  if (code === 'step_limit') return i18next.t('error.step_limit')
  if (code === 'config_invalid') return i18next.t('error.config_invalid', { reason: configReason(data) })
  if (code === 'tool_repeats' && (data['what'] === 'same' || data['what'] === 'row'))
    return i18next.t(`error.tool_repeats_${data['what']}`, data)
  if (code === 'file_not_text' && data['holdsNul'] === true) return i18next.t('error.file_not_text_nul', data)
  if (!isErrorCode(code)) return i18next.t('error.internal', { reference: code })
  return String(i18next.t(`error.${code}` as 'error.internal', data as { reference: string }))
}

function configReason({ key, fault, allowed, reason }: Record<string, unknown>): string {
  const words = explainFault({ message: String(reason), fault, allowed })
  return fault === undefined || key === '' ? words : `${String(key)}: ${words}`
}

/** What is wrong with a value of the configuration; the English message where there are no other words. */
export function explainFault({
  message,
  fault,
  allowed,
}: {
  message: string
  fault?: unknown
  allowed?: unknown
}): string {
  if (fault === undefined) return message
  return i18next.t(`configFault.${String(fault) as ConfigFault}`, { allowed: String(allowed) })
}

export function isErrorOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof ORPCError && error.code === code
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code)
}
