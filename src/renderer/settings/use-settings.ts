import { useMutation, useQuery } from '@tanstack/react-query'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { placeSettings, type PlacedSetting, type GroupId, settingRows, type JsonSchema } from './setting-rows.ts'
import { valueAt } from '#shared/util/json.ts'
import i18next from 'i18next'

/** Scope of a value: this agent, all agents, or the app. */
type Scope = 'agent' | 'all' | 'app'

export type Settings = NonNullable<ReturnType<typeof useSettings>['settings']>

const defaultsPath = ['agents', 'defaults']

/** Reads and writes the settings of an agent. `settings` is undefined while loading or after an error. */
export function useSettings(agent: Agent) {
  const source = useQuery(api.settings.source.queryOptions())
  const set = useMutation(
    api.settings.set.mutationOptions({ meta: { handlesError: true }, onError: () => void source.refetch() }),
  )
  const refetch = () => void source.refetch()
  if (!source.data) return { settings: undefined, error: source.error, refetch }
  const { written, inForce } = source.data
  const schema = source.data.schema as JsonSchema
  const list = valueAt(inForce, ['agents', 'list'])
  const index = Array.isArray(list) ? list.findIndex(({ id }: { id?: unknown }) => id === agent.id) : -1
  const basePath = (scope: Scope) => (scope === 'app' ? [] : scope === 'all' ? defaultsPath : ['agents', 'list', index])
  const pathOf = ({ row }: PlacedSetting, scope: Scope) => [...basePath(scope), ...row.path]
  const agentSchema = schema.properties?.['agents']?.properties?.['defaults'] ?? {}
  return {
    settings: {
      all: placeSettings(settingRows(agentSchema), settingRows(schema)),
      /** True if the agent has its own entry in the configuration, so that it can have its own values. */
      hasOwnEntry: index >= 0,
      /** Returns the value set in a scope, or undefined if it is inherited. */
      ownValue: (setting: PlacedSetting, scope: Scope) => {
        const path = pathOf(setting, scope)
        const older = setting.row.path.join('.') === 'visibility.private' ? [...path.slice(0, -1), 'local'] : path
        return valueAt(written, path) ?? valueAt(written, older)
      },
      effectiveValue: (setting: PlacedSetting, scope: Scope) => valueAt(inForce, pathOf(setting, scope)),
      /** Returns the value that a scope would inherit. Undefined also if that is the app's built-in default. */
      inheritedValue: (setting: PlacedSetting, scope: Scope) =>
        scope === 'agent' ? valueAt(inForce, pathOf(setting, 'all')) : undefined,
      /**
       * Sets a value in a scope.
       * @param value undefined restores the inherited value
       * @param onDone receives the error if the value was refused
       */
      set(setting: PlacedSetting, scope: Scope, value: unknown, onDone: (refusal: Error | null) => void) {
        const path = pathOf(setting, scope)
        set.mutate(value === undefined ? { path, reset: true } : { path, value }, {
          onSettled: (_result, error) => onDone(error),
        })
      },
    },
    error: source.error,
    refetch,
  }
}

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
