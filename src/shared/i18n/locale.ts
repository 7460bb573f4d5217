import type { Appearance, Locale } from '../contract/index.ts'

export const locales = ['en', 'zh-CN', 'zh-TW'] as const

const translations = {
  en: () => import('./en.json', { with: { type: 'json' } }),
  'zh-CN': () => import('./zh-CN.json', { with: { type: 'json' } }),
  'zh-TW': () => import('./zh-TW.json', { with: { type: 'json' } }),
} as const

/** Loads the texts of the interface, which the terminal uses too. */
export async function translationOf(locale: Locale) {
  return (await translations[locale]()).default
}

/**
 * Returns the language of the interface.
 * @param chosen the setting `interface.locale`
 * @param languages of the system, the preferred one first, such as `zh-Hant-TW` or `zh_CN.UTF-8`
 */
export function localeOf(chosen: Appearance['locale'], languages: readonly string[]): Locale {
  if (chosen !== 'system') return chosen
  const known = languages.find((language) => /^(?:zh|en)/i.test(language)) ?? 'en'
  if (!/^zh/i.test(known)) return 'en'
  return /^zh[-_](TW|HK|MO|Hant)/i.test(known) ? 'zh-TW' : 'zh-CN'
}
