/** Every setting, for all agents, for one, or for the app; edits the file and leaves its comments alone (M50). */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { ErrorState } from '../feedback/index.ts'
import { Choice } from '../ui/choice.tsx'
import { Skeleton } from '../ui/states.tsx'
import { useSettingName } from './setting-name.ts'
import { SettingRowView } from './setting-row.tsx'
import { settingRows, valueAt, type JsonSchema, type SettingRow } from './setting-rows.ts'

interface AllSettingsProps {
  readonly agent: Agent
  /** Words that a setting must have, in its name or its key. */
  readonly filter: string
}

export function AllSettings({ agent, filter }: AllSettingsProps) {
  const { t } = useTranslation()
  const nameOf = useSettingName()
  const source = useQuery(api.settings.source.queryOptions())
  // What was typed gives way to what holds.
  const set = useMutation(api.settings.set.mutationOptions({ onError: () => void source.refetch() }))
  const [scope, setScope] = useState<'agent' | 'all' | 'app'>('agent')
  if (source.error) return <ErrorState error={source.error} onRetry={() => void source.refetch()} />
  if (!source.data) return <Skeleton lines={8} />
  const { written, inForce } = source.data
  const schema = source.data.schema as JsonSchema
  const list = valueAt(inForce, ['agents', 'list'])
  const index = Array.isArray(list) ? list.findIndex(({ id }: { id?: unknown }) => id === agent.id) : -1
  const ofAll = ['agents', 'defaults']
  const base = scope === 'app' ? [] : scope === 'all' || index < 0 ? ofAll : ['agents', 'list', index]
  const shape = scope === 'app' ? schema : schema.properties?.['agents']?.properties?.['defaults']
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const rows = settingRows(shape ?? {}).filter(({ path }) => {
    const text = `${nameOf(path)} ${path.join('.')}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const change = (row: SettingRow, value: unknown) => {
    const path = [...base, ...row.path]
    set.mutate(value === undefined ? { path, reset: true } : { path, value })
  }
  return (
    <div className="flex flex-col gap-3">
      <Choice
        label={t('settings.scope')}
        value={scope}
        options={[
          { value: 'agent', name: agent.name },
          { value: 'all', name: t('settings.allAgents') },
          { value: 'app', name: t('settings.theApp') },
        ]}
        onChoose={setScope}
      />
      {rows.length === 0 && <p className="text-muted">{t('settings.noMatch')}</p>}
      {groupsOf(rows).map(([group, members]) => (
        <section key={group} aria-label={group}>
          <h3 className="pt-2 font-mono text-[12px] text-muted">{group}</h3>
          {members.map((row) => (
            <SettingRowView
              key={`${base.join('.')}/${row.path.join('.')}`}
              row={row}
              written={valueAt(written, [...base, ...row.path])}
              inForce={valueAt(inForce, [...base, ...row.path])}
              onSet={(value) => change(row, value)}
            />
          ))}
        </section>
      ))}
    </div>
  )
}

function groupsOf(rows: readonly SettingRow[]): [string, SettingRow[]][] {
  return [
    ...Map.groupBy(rows, ({ path: [first = '', second = ''] }) => (first === 'memory' ? `${first}.${second}` : first)),
  ]
}
