import type i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import type { GroupId } from './setting-sections.ts'

export interface SettingNames {
  readonly nameOf: (path: readonly string[]) => string
  readonly valueNameOf: (path: readonly string[], value: string) => string
  readonly groupNameOf: (group: GroupId) => string
}

export function settingNames(t: typeof i18next.t): SettingNames {
  return {
    nameOf: (path) => t(`setting.${path.join('_')}` as 'setting.model'),
    valueNameOf: (path, value) =>
      t(`settingValue.${path.join('_')}.${value}` as 'settingValue.interface_theme.light', { defaultValue: value }),
    groupNameOf: (group) => t(`settingGroup.${group.replace('.', '_')}` as 'settingGroup.model'),
  }
}

export function useSettingNames(): SettingNames {
  return settingNames(useTranslation().t)
}
