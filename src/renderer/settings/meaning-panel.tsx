import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { useSettingNames } from './setting-name.ts'

export function MeaningPanel({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const { valueNameOf } = useSettingNames()
  const input = { agent: agent.id }
  const status = useQuery(api.search.status.queryOptions({ input }))
  const { embedded, units } = status.data ?? {}
  const { data, error, refetch } = useQuery({
    ...api.search.embeddingCost.queryOptions({ input }),
    // Part of the key, since the result depends on the units with vectors.
    queryKey: [...api.search.embeddingCost.queryKey({ input }), embedded, units],
    enabled: status.data !== undefined,
    placeholderData: (previous) => previous,
  })
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data || !status.data) return <Skeleton lines={3} />
  const { provider, model } = status.data
  const name = valueNameOf(['memory', 'embedding', 'provider'], provider)
  return (
    <div className="flex flex-col gap-2">
      <p>
        {provider === 'none'
          ? t('meaning.none')
          : t(isRemoteEmbeddingProvider(provider) ? 'meaning.remote' : 'meaning.here', { provider: name, model })}
      </p>
      <p className="text-muted">
        {t('meaning.all', { count: data.all.texts, tokens: data.all.tokens })}{' '}
        {provider !== 'none' && data.unsent.texts > 0 && t('meaning.open', { count: data.unsent.texts })}
      </p>
    </div>
  )
}
