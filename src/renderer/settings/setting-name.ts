import type i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import type { GroupId } from './setting-sections.ts'

export function settingNames(t: typeof i18next.t) {
  return {
    nameOf: (path: readonly string[]) => t(`setting.${path.join('_')}` as 'setting.model'),
    valueNameOf: (path: readonly string[], value: string) =>
      t(`settingValue.${path.join('_')}.${value}` as 'settingValue.interface_theme.light', { defaultValue: value }),
    groupNameOf: (group: GroupId) => t(`settingGroup.${group.replace('.', '_')}` as 'settingGroup.model'),
  }
}

export function useSettingNames() {
  return settingNames(useTranslation().t)
}
