import type i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import type { GroupId } from './setting-sections.ts'

export interface SettingWords {
  readonly nameOf: (path: readonly string[]) => string
  readonly valueNameOf: (path: readonly string[], value: string) => string
  readonly groupNameOf: (group: GroupId) => string
}

export function settingWords(t: typeof i18next.t): SettingWords {
  return {
    nameOf: (path) => t(`setting.${path.join('_')}` as 'setting.model'),
    valueNameOf: (path, value) =>
      t(`settingValue.${path.join('_')}.${value}` as 'settingValue.interface_theme.light', { defaultValue: value }),
    groupNameOf: (group) => t(`settingGroup.${group.replace('.', '_')}` as 'settingGroup.model'),
  }
}

export function useSettingWords(): SettingWords {
  return settingWords(useTranslation().t)
}
