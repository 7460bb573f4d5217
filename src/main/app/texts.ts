import i18next from 'i18next'
import type { ConfigProblem, IndexExclusion, Locale, Problem } from '#shared/contract/index.ts'
import { explainCode, explainFault, explainProblem } from '#shared/i18n/explain.ts'
import { hostTexts } from '#shared/i18n/host-texts.ts'
import { localeOf, translationOf } from '#shared/i18n/locale.ts'
import { AppError, type ErrorData } from '#shared/util/errors.ts'
import type { SayResult } from '#shared/util/format-result.ts'
import { SettingsStore } from '#platform'

/** Returns a text of the terminal or of the desktop's menus and dialogs. */
export const t = i18next.getFixedT(null, 'host')

/**
 * Loads the texts in the language of the settings, else of the system.
 * @param languages of the system, the preferred one first
 */
export async function loadHostTexts(configFile: string, languages: readonly string[]): Promise<void> {
  const lng = localeOf(await SettingsStore.readLocale(configFile), languages)
  const resources = { [lng]: { host: hostTexts[lng], translation: await translationOf(lng) } }
  await i18next.init({ lng, resources, interpolation: { escapeValue: false }, returnNull: false })
}

export function hostLocale(): Locale {
  return localeOf('system', [i18next.language])
}

/** Explains an error code. In English, the message says more than the sentence for the code. */
export function codeText(code: string, message: string, data: ErrorData = {}): string {
  return hostLocale() === 'en' ? message : explainCode(code, { reason: message, reference: message, ...data })
}

export function errorText(error: unknown): string {
  if (error instanceof AppError) return codeText(error.code, error.message, error.data)
  return error instanceof Error ? error.message : String(error)
}

/** Explains a problem of the app. In English, its message says more than the sentence for its code. */
export function problemText(problem: Pick<Problem, 'part' | 'code' | 'message'>): string {
  if (hostLocale() !== 'en') return explainProblem(problem)
  return problem.message === '' ? problem.code : problem.message
}

/** Describes the problems of the settings in one line. */
export function problemsText(file: string, problems: readonly ConfigProblem[]): string {
  const explain = hostLocale() === 'en' ? undefined : explainFault
  return SettingsStore.describe(file, problems, explain, t('common.semicolon'), (count) => t('common.more', { count }))
}

export const sayResult: SayResult = (key, values = {}) => t(`result.${key}`, values)

/** Says why a file or a line is not searched. */
export function exclusionText({ reason, message }: IndexExclusion): string {
  const detail = message === undefined ? '' : t('explain.detail', { message })
  return t('explain.notSearched', { reason: t(`exclusion.${reason}`) + detail })
}
