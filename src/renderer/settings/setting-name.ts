import type i18next from 'i18next'
import type { GroupId } from './setting-sections.ts'

export function settingNames(t: typeof i18next.t) {
  return {
    nameOf: (path: readonly string[]) => t(`setting.${path.join('_')}` as 'setting.model'),
    valueNameOf: (path: readonly string[], value: string) =>
      t(`settingValue.${path.join('_')}.${value}` as 'settingValue.interface_theme.light', { defaultValue: value }),
    hintOf: (path: readonly string[]) =>
      t(`settingHint.${path.join('_')}` as 'settingHint.model', { defaultValue: '' }),
    /** Returns other words by which people search for a setting or panel. */
    wordsOf: (id: string) =>
      t(`settingWords.${id.replaceAll('.', '_')}` as 'settingWords.import', { defaultValue: '' }),
    groupNameOf: (group: GroupId) =>
      t(`settingGroup.${group.replaceAll('.', '_')}` as 'settingGroup.chat', { defaultValue: '' }),
  }
}
