import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { hasWords } from '#lib/util/has-words.ts'
import { usePinyin, type PinyinOf } from '#lib/util/pinyin-match.ts'
import { usePanels, type Panel } from './panels.tsx'
import type { PlacedSetting } from './setting-sections.ts'
import { settingNames } from './setting-name.ts'
import { useSettings } from './use-settings.ts'

interface SettingsSearch extends Pick<ReturnType<typeof useSettings>, 'settings' | 'error' | 'refetch'> {
  readonly list: readonly PlacedSetting[]
  readonly panels: readonly Panel[]
}

/** @param query if empty, the result is empty */
export function useSettingsSearch(agent: Agent, query: string): SettingsSearch {
  // Rerenders when the language changes.
  useTranslation()
  const spell = usePinyin(/[a-z]/i.test(query))
  const { settings, error, refetch } = useSettings(agent)
  const panels = usePanels(agent)
  if (query === '') return { settings, error, refetch, list: [], panels: [] }
  return {
    settings,
    error,
    refetch,
    list: (settings?.all ?? []).filter((setting) => hasWords(textsOf(setting, spell), query)),
    panels: panels.filter(({ title, lead, id, words = '' }) =>
      hasWords([title, lead, id, words, ...spell(title)], query),
    ),
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
