/** Strings by language. The system's language is used until the user chooses one. */
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Appearance, Locale } from '../../shared/contract/index.ts'
import en from './en.json'
import zhCN from './zh-CN.json'
import zhTW from './zh-TW.json'

const resources = { en: { translation: en }, 'zh-CN': { translation: zhCN }, 'zh-TW': { translation: zhTW } }

export const locales = ['en', 'zh-CN', 'zh-TW'] as const

export function startI18n(): void {
  void i18next.use(initReactI18next).init({
    resources,
    lng: systemLocale(),
    fallbackLng: 'en',
    interpolation: { escapeValue: false },
    // Names of context items come from the runtime and may hold dots.
    keySeparator: '.',
    returnNull: false,
  })
  document.documentElement.lang = i18next.language
}

export function applyLocale(chosen: Appearance['locale']): void {
  const locale = chosen === 'system' ? systemLocale() : chosen
  if (i18next.language !== locale) void i18next.changeLanguage(locale)
  document.documentElement.lang = locale
}

export function systemLocale(): Locale {
  for (const language of navigator.languages) {
    if (/^zh-(TW|HK|MO|Hant)/i.test(language)) return 'zh-TW'
    if (/^zh/i.test(language)) return 'zh-CN'
    if (/^en/i.test(language)) return 'en'
  }
  return 'en'
}

/** The language that is shown, as one of ours. */
export function currentLocale(): Locale {
  return locales.find((known) => known === i18next.language) ?? systemLocale()
}
