import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import type { ConfigFault } from '#shared/contract/index.ts'
import { type ErrorCode, errorCodes } from '#shared/util/errors.ts'

/** Returns a sentence for the user. Treats any error outside the contract as a lost connection. */
export function explainError(error: unknown): string {
  if (error instanceof ORPCError && isErrorCode(error.code))
    return explainCode(error.code, { reason: error.message, ...(error.data as object) })
  return i18next.t('error.unreachable')
}

/** Returns a sentence for an error code. An unknown code becomes an internal error with the code as reference. */
export function explainCode(code: string, data: Record<string, unknown>): string {
  if (code === 'step_limit') return i18next.t('error.step_limit')
  if (code === 'config_invalid') return i18next.t('error.config_invalid', { reason: configReason(data) })
  if (code === 'tool_repeats' && (data['what'] === 'same' || data['what'] === 'row'))
    return i18next.t(`error.tool_repeats_${data['what']}`, data)
  const folderFault = `folderFault.${String(data['fault'])}` as 'folderFault.disk'
  if (code === 'folder_unusable' && i18next.exists(folderFault))
    return i18next.t('error.folder_unusable', { ...data, reason: i18next.t(folderFault) })
  if (code === 'input_invalid' && data['fault'] === 'relative')
    return i18next.t('error.path_relative', { path: String(data['path']) })
  if (code === 'input_invalid' && data['reason'] === invalidUrlMessage)
    return i18next.t('error.input_invalid', { reason: i18next.t('configFault.address') })
  if (code === 'undo_conflict' && data['path'] === '') return i18next.t('error.undo_gone')
  if (code === 'undo_conflict' && typeof data['line'] === 'number')
    return i18next.t('error.undo_conflict_line', { path: String(data['path']), line: data['line'] })
  if (code === 'unknown_model' && data['models']) return i18next.t('error.unknown_model_listed', data)
  if (code === 'file_not_text' && data['holdsNul'] === true) return i18next.t('error.file_not_text_nul', data)
  if (!isErrorCode(code)) return i18next.t('error.internal', { reference: code })
  return String(i18next.t(`error.${code}` as 'error.internal', data as { reference: string }))
}

/** Explains an error of a connection or of the first start. Omits hints about messages and other places. */
export function explainSetup(error: unknown): string {
  if (!(error instanceof ORPCError) || !isErrorCode(error.code)) return explainError(error)
  const { provider, ...data } = { reason: error.message, ...(error.data as { provider?: string }) }
  const name = `connect.called.${provider}`
  const named = { ...data, provider: i18next.exists(name) ? i18next.t(name as 'connect.called.openai') : provider }
  const key = `connect.failed.${error.code}`
  if (!i18next.exists(key)) return explainCode(error.code, named)
  return String(i18next.t(key as 'connect.failed.provider_failed', named as { provider: string }))
}

const invalidUrlMessage = 'Invalid URL'

function configReason({ key, fault, allowed, reason }: Record<string, unknown>): string {
  const explanation = explainFault({ message: String(reason), fault, allowed })
  return fault === undefined || key === '' ? explanation : `${String(key)}: ${explanation}`
}

/** Explains an invalid configuration value. Falls back to the English message if there is no translation. */
export function explainFault(problem: { message: string; fault?: unknown; allowed?: unknown }): string {
  const { message, fault, allowed } = problem
  if (fault === undefined) return message
  return i18next.t(`configFault.${String(fault) as ConfigFault}`, { allowed: String(allowed) })
}

export function isErrorOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof ORPCError && error.code === code
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code)
}
