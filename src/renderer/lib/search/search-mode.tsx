import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SearchSettings, IndexStatus } from '#shared/contract/index.ts'
import { searchModes } from '#shared/contract/search.ts'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Choice } from '#lib/ui/elements.tsx'
import { Loader } from 'lucide-react'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'

/** Returns a mutation that saves search settings and offers to undo that. */
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

/** The same as a setting: a choice is saved at once. */
export function SearchModeSetting({ agent }: { agent: string }) {
  const { data } = useQuery(api.search.settings.queryOptions({ input: { agent } }))
  const save = useSaveSearch()
  return data && <SearchMode agent={agent} settings={data} onChoose={(settings) => save.mutate({ agent, settings })} />
}

/** The progress of the index, while it works. */
export function IndexProgress({ status }: { status: IndexStatus }) {
  const { units, embedded, provider, state, done, total, etaMs, download, problems } = status
  const isEmbedding = state === 'ready' && provider !== 'none' && embedded < units && problems.length === 0
  const progress = isEmbedding
    ? { done: formatNumber(embedded), total: formatNumber(units) }
    : { done: formatNumber(done), total: formatNumber(total) }
  const step = {
    starting: 'status.starting',
    indexing: total === 0 ? 'status.starting' : 'status.indexing',
    rebuilding: total === 0 ? 'status.starting' : 'status.rebuilding',
    ready: isEmbedding ? 'status.embedding' : undefined,
    failed: undefined,
  } as const
  const texts = [
    step[state] && t(step[state], progress),
    etaMs !== undefined && etaMs > 2000 && t('status.eta', { seconds: formatNumber(Math.ceil(etaMs / 1000)) }),
    download && t('status.download', { share: formatPercent(Math.round(download.share * 100) / 100) }),
  ].filter(Boolean)
  return (
    <span role="status" className="tabular flex items-center gap-1.5">
      {texts.length > 0 && <Loader size={12} className="animate-spin" aria-hidden />}
      {texts.join(' · ')}
    </span>
  )
}
