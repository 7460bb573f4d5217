/** Settings under the names of their groups. */
import type { Agent } from '#shared/contract/index.ts'
import type { PlacedSetting } from './setting-sections.ts'
import { useSettingWords } from './setting-name.ts'
import { SettingRowView } from './setting-row.tsx'
import type { Settings } from './use-settings.ts'

interface SettingListProps {
  readonly list: readonly PlacedSetting[]
  readonly settings: Settings
  readonly agent: Agent
}

export function SettingList({ list, settings, agent }: SettingListProps) {
  const { groupNameOf } = useSettingWords()
  return [...Map.groupBy(list, ({ group }) => group)].map(([group, members]) => (
    <section key={group} aria-label={groupNameOf(group)}>
      <h3 className="border-b border-soft pb-1 font-semibold text-muted">{groupNameOf(group)}</h3>
      {members.map((setting) => (
        <SettingRowView
          key={`${agent.id}/${setting.row.path.join('.')}`}
          setting={setting}
          settings={settings}
          agent={agent}
        />
      ))}
    </section>
  ))
}
