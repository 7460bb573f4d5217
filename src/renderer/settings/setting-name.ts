/** A setting in words, by its path. */
import { useTranslation } from 'react-i18next'

export function useSettingName(): (path: readonly string[]) => string {
  const { t } = useTranslation()
  return (path) => t(`setting.${path.join('_')}` as 'setting.model')
}
