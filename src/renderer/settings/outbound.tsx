import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OutboundRequest } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState, EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { formatMoment } from '#lib/i18n/format.ts'
import { Select } from '#lib/ui/choice.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'

export function OutboundList() {
  const { data, error, refetch } = useQuery({ ...api.settings.outbound.queryOptions(), staleTime: 0 })
  const [purpose, setPurpose] = useState<OutboundRequest['purpose'] | ''>('')
  const [host, setHost] = useState('')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={4} />
  const { requests, total } = data
  if (total === 0) return <EmptyState title={t('outbound.empty')} hint={t('outbound.emptyHint')} />
  const purposes = [...new Set(requests.map((request) => request.purpose))]
  const hosts = [...new Set(requests.map((request) => request.host))].sort()
  const purposeOptions = purposes.map((value) => ({ value, name: t(`outbound.purposes.${value}`) }))
  const shown = requests.filter(
    (request) => (purpose === '' || request.purpose === purpose) && (host === '' || request.host === host),
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={t('outbound.purpose')}
          value={purpose}
          options={[{ value: '', name: t('outbound.allPurposes') }, ...purposeOptions]}
          onChoose={setPurpose}
        />
        <Select
          label={t('outbound.host')}
          value={host}
          options={[{ value: '', name: t('outbound.allHosts') }, ...hosts.map((value) => ({ value, name: value }))]}
          onChoose={setHost}
          className="min-h-7 max-w-60 px-1.5"
        />
        <span className="tabular text-muted">{t('outbound.count', { count: shown.length })}</span>
      </div>
      <div tabIndex={0} className="max-h-96 overflow-auto rounded-md border border-line text-[12px]">
        <VirtualRows label={t('outbound.title')} rows={shown} keyOf={({ id }) => id} estimateHeight={() => 45}>
          {({ at, host, characters, outcome = t('outbound.unanswered'), ...request }) => (
            <div data-testid="outbound" className="border-b border-soft px-3 py-1">
              {t(`outbound.purposes.${request.purpose}`)} <span className="pl-1 font-mono break-all">{host}</span>
              <p className="tabular flex flex-wrap gap-x-3 text-muted">
                <time dateTime={at}>{formatMoment(Date.parse(at))}</time>
                <span>{t('outbound.characters', { count: characters })}</span>
                <span>{outcome}</span>
                {request.isPrivate && <span>{t('private.mark')}</span>}
              </p>
            </div>
          )}
        </VirtualRows>
      </div>
      {total > requests.length && (
        <p className="text-muted">{t('outbound.older', { count: requests.length, total })}</p>
      )}
    </>
  )
}
