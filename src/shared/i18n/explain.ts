import i18next from 'i18next'
import type { ConfigFault, Problem } from '../contract/index.ts'
import { errorCodes, type ErrorCode } from '../util/errors.ts'

/** An unknown code becomes an internal error with the code as reference. */
export function explainCode(code: string, given: Record<string, unknown>): string {
  const providerKey = `connect.called.${String(given['provider'])}` as 'connect.called.openai'
  const data = i18next.exists(providerKey) ? { ...given, provider: i18next.t(providerKey) } : given
  if (code === 'step_limit') return i18next.t('error.step_limit')
  if (code === 'config_invalid') return i18next.t('error.config_invalid', { reason: configReason(data) })
  if (code === 'tool_repeats' && (data['what'] === 'same' || data['what'] === 'row'))
    return i18next.t(`error.tool_repeats_${data['what']}`, data)
  const folderFault = `folderFault.${String(data['fault'])}` as 'folderFault.disk'
  if (code === 'folder_unusable' && i18next.exists(folderFault))
    return i18next.t('error.folder_unusable', { ...data, reason: i18next.t(folderFault) })
  if (code === 'input_invalid' && data['fault'] === 'relative')
    return i18next.t('error.path_relative', { path: String(data['path']) })
  if (code === 'undo_conflict' && data['path'] === '') return i18next.t('error.undo_gone')
  if (code === 'undo_conflict' && typeof data['line'] === 'number')
    return i18next.t('error.undo_conflict_line', { path: String(data['path']), line: data['line'] })
  if (code === 'unknown_model' && data['models']) return i18next.t('error.unknown_model_listed', data)
  if (code === 'file_not_text' && data['holdsNul'] === true) return i18next.t('error.file_not_text_nul', data)
  if (!isErrorCode(code)) return i18next.t('error.internal', { reference: code })
  return String(i18next.t(`error.${code}` as 'error.internal', data as { reference: string }))
}

function configReason({ key, fault, allowed, reason }: Record<string, unknown>): string {
  const explanation = explainFault({ message: String(reason), fault, allowed })
  return fault === undefined || key === ''
    ? explanation
    : i18next.t('common.pair', { name: String(key), value: explanation })
}

/** Explains an invalid configuration value. Falls back to the English message if there is no translation. */
export function explainFault({ message, fault, allowed }: { message: string; fault?: unknown; allowed?: unknown }) {
  if (fault === undefined) return message
  const typeKey = `configType.${String(allowed)}` as 'configType.string'
  const values = fault === 'type' && i18next.exists(typeKey) ? i18next.t(typeKey) : String(allowed)
  return i18next.t(`configFault.${String(fault) as ConfigFault}`, { allowed: values })
}

export function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code)
}

/** Returns a sentence about the effect of a problem: by its code, or else by the affected part. */
export function explainProblem({ part, code }: Pick<Problem, 'part' | 'code'>): string {
  const codeKey = `health.what.${code}`
  return i18next.t((i18next.exists(codeKey) ? codeKey : `health.what.${part}`) as `health.what.${Problem['part']}`)
}
