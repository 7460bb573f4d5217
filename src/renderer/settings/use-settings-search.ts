import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { hasWords } from '#lib/util/has-words.ts'
import { usePinyin, type PinyinOf } from '#lib/util/pinyin-match.ts'
import { usePanels } from './panels.tsx'
import type { PlacedSetting } from './setting-sections.ts'
import { settingNames } from './setting-name.ts'
import { useSettings } from './use-settings.ts'

/** @param query if empty, the result is empty */
export function useSettingsSearch(agent: Agent, query: string) {
  // Rerenders when the language changes.
  useTranslation()
  const spell = usePinyin(/[a-z]/i.test(query))
  const settingsQuery = useSettings(agent)
  const panels = usePanels(agent)
  const matches = (texts: readonly string[]) => query !== '' && hasWords(texts, query)
  return {
    ...settingsQuery,
    list: (settingsQuery.settings?.all ?? []).filter((setting) => matches(textsOf(setting, spell))),
    panels: panels.filter(({ title, lead, id, words = '' }) => matches([title, lead, id, words, ...spell(title)])),
  }
}

function textsOf({ row, group, section }: PlacedSetting, spell: PinyinOf): string[] {
  const { nameOf, valueNameOf, groupNameOf } = settingNames(i18next.t)
  const name = nameOf(row.path)
  return [
    name,
    settingNames(i18next.getFixedT('en')).nameOf(row.path),
    row.path.join('.'),
    groupNameOf(group),
    i18next.t(`settings.section.${section}`),
    ...row.options.map((option) => valueNameOf(row.path, option)),
    ...spell(name),
  ]
}
