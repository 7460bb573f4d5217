/** Puts theme and language into force. */
import { useEffect, useState } from 'react'
import type { Appearance } from '#shared/contract/index.ts'
import { attempt } from '#lib/feedback/toast.ts'
import { applyLocale } from '#lib/i18n/index.ts'

/** @returns the theme as it is shown */
export function useAppearance(appearance: Appearance | undefined): 'light' | 'dark' {
  const [systemIsDark, setSystemIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)')
    const onChange = () => setSystemIsDark(media.matches)
    media.addEventListener('change', onChange)
    return () => media.removeEventListener('change', onChange)
  }, [])
  const chosen = appearance?.theme ?? 'system'
  const theme = chosen === 'system' ? (systemIsDark ? 'dark' : 'light') : chosen
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  const locale = appearance?.locale
  useEffect(() => {
    if (locale) void attempt(applyLocale(locale))
  }, [locale])
  return theme
}
