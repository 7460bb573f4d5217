import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Appearance, Locale } from '#shared/contract/index.ts'
import { localeOf, locales, translationOf } from '#shared/i18n/locale.ts'

export async function startI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    // Languages load when they are shown.
    resources: {},
    partialBundledLanguages: true,
    lng: localeOf('system', navigator.languages),
    fallbackLng: 'en',
    interpolation: { escapeValue: false },
    keySeparator: '.',
    returnNull: false,
    react: { bindI18nStore: 'added' },
  })
  await applyLocale('system')
}

const editorTexts = {
  en: () => Promise.resolve(),
  'zh-CN': () => import('monaco-editor/nls/lang/zh-cn'),
  'zh-TW': () => import('monaco-editor/nls/lang/zh-tw'),
} as const

/** Loads the texts of the find bar and the menus before an editor, because the editor reads them once. */
export async function loadEditor<T>(load: () => Promise<T>): Promise<T> {
  await editorTexts[currentLocale()]()
  return load()
}

let pendingLocale: Locale | undefined

/** Loads and shows a language. If another one is chosen meanwhile, that one wins. */
export async function applyLocale(chosen: Appearance['locale']): Promise<void> {
  const locale = localeOf(chosen, navigator.languages)
  pendingLocale = locale
  await loadTexts(locale)
  if (pendingLocale !== locale) return
  if (i18next.language !== locale) await i18next.changeLanguage(locale)
  document.documentElement.lang = locale
}

export async function loadTexts(locale: Locale): Promise<void> {
  if (i18next.hasResourceBundle(locale, 'translation')) return
  i18next.addResourceBundle(locale, 'translation', await translationOf(locale))
}

export function currentLocale(): Locale {
  return locales.find((locale) => locale === i18next.language) ?? localeOf('system', navigator.languages)
}
