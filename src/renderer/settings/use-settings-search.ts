import i18next from 'i18next'
import type { Agent } from '#shared/contract/index.ts'
import { nameRanker, useChineseNames } from '#lib/util/name-match.ts'
import { panelsOf } from './panels.tsx'
import type { PlacedSetting } from './setting-rows.ts'
import { settingNames, useSettings } from './use-settings.ts'

/** @param query if empty, the result is empty */
export function useSettingsSearch(agent: Agent, query: string) {
  const rankOf = nameRanker(query, useChineseNames(query))
  const settingsQuery = useSettings(agent)
  const panels = panelsOf(agent)
  const matches = ([name = '', ...others]: readonly string[]) => query !== '' && rankOf(name, ...others) !== undefined
  return {
    ...settingsQuery,
    list: (settingsQuery.settings?.all ?? []).filter((setting) => matches(textsOf(setting))),
    panels: panels.filter(({ title, lead, id, words = '' }) => matches([title, lead, id, words, ...synonyms(id)])),
  }
}

/** Synonyms in the language of the interface and in English. */
function synonyms(id: string): string[] {
  return [i18next.t, i18next.getFixedT('en')].map((t) => settingNames(t).wordsOf(id))
}

/** Only the first text, the name, is matched by pinyin. */
function textsOf({ row, group, section }: PlacedSetting): string[] {
  const { nameOf, hintOf, valueNameOf, groupNameOf } = settingNames(i18next.t)
  return [
    nameOf(row.path),
    settingNames(i18next.getFixedT('en')).nameOf(row.path),
    row.path.join('.'),
    hintOf(row.path),
    groupNameOf(group),
    i18next.t(`settings.section.${section}`),
    ...row.options.map((option) => valueNameOf(row.path, option)),
    ...synonyms(row.path.join('.')),
  ]
}
