import { IndexProgress } from './index-progress.tsx'
import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SearchSettings } from '#shared/contract/index.ts'
import { searchModes } from '#shared/contract/search.ts'
import { api, client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Choice } from '#lib/ui/elements.tsx'

export function useSaveSearch(onSaved?: () => void) {
  return useMutation(
    api.search.setSettings.mutationOptions({
      onSuccess: (change) => {
        onSaved?.()
        showSuccess(t('whatIf.applied'), () => client.settings.undo(change))
      },
    }),
  )
}

interface SearchModeProps {
  readonly agent: string
  readonly settings: SearchSettings
  readonly onChoose: (settings: SearchSettings) => void
}

/** Chooses between the default settings and those of OpenClaw, and shows the progress of the index. */
export function SearchMode({ agent, settings, onChoose }: SearchModeProps) {
  const status = useQuery(api.search.status.queryOptions({ input: { agent } })).data
  const isChunked = settings.chunking?.unit === 'tokens'
  const mode = settings.weights === 'auto' ? (isChunked ? 'custom' : 'default') : isChunked ? 'classic' : 'custom'
  return (
    <div className="flex flex-col items-start gap-1">
      <Choice
        label={t('whatIf.mode')}
        value={mode}
        options={(['default', 'classic'] as const).map((value) => ({ value, name: t(`whatIf.${value}`) }))}
        onChoose={(chosen) => chosen !== 'custom' && onChoose(searchModes[chosen])}
      />
      <p className="text-[12px] text-muted">{t(`whatIf.${mode}Hint`)}</p>
      {status && <IndexProgress status={status} />}
    </div>
  )
}

/** Saves a choice at once. */
export function SearchModeSetting() {
  const { id: agent } = useAgent()
  const { data } = useQuery(api.search.settings.queryOptions({ input: { agent } }))
  const save = useSaveSearch()
  return data && <SearchMode agent={agent} settings={data} onChoose={(settings) => save.mutate({ agent, settings })} />
}
