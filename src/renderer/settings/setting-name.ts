import { useTranslation } from 'react-i18next'

/** A setting in words, by its path. */
export function useSettingName(): (path: readonly string[]) => string {
  const { t } = useTranslation()
  return (path) => t(`setting.${path.join('_')}` as 'setting.model')
}
