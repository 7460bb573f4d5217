import { useMutation, useQuery } from '@tanstack/react-query'
import { Download, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { formatMoment } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { SearchField } from '#lib/ui/search-field.tsx'
import { download } from '#lib/util/download.ts'
import { Skeleton } from '#lib/ui/states.tsx'

const colors = { info: 'text-muted', warning: 'text-warning', error: 'text-bad' } as const

export function LogView() {
  const { t } = useTranslation()
  const log = useQuery({ ...api.settings.log.queryOptions(), staleTime: 0 })
  const [filter, setFilter] = useState('')
  const report = useMutation(
    api.settings.diagnostics.mutationOptions({
      onSuccess: ({ text }) => download('commonplace-diagnostics.json', text),
    }),
  )
  if (log.error) return <ErrorState error={log.error} onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton lines={4} />
  const wanted = filter.trim().toLowerCase()
  const lines = log.data
    .filter(({ message, details }) => `${message} ${details}`.toLowerCase().includes(wanted))
    .toReversed()
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label={t('log.filter')} value={filter} onChange={setFilter} />
        <Button look="quiet" onClick={() => void log.refetch()}>
          <RefreshCw size={13} aria-hidden />
          {t('log.again')}
        </Button>
        <span className="flex-1" />
        <Button onClick={() => report.mutate()}>
          <Download size={13} aria-hidden />
          {t('log.report')}
        </Button>
      </div>
      <p className="text-[12px] text-muted">{t('log.reportHint')}</p>
      {lines.length === 0 ? (
        <p className="text-muted">{t('log.empty')}</p>
      ) : (
        <ul
          tabIndex={0}
          aria-label={t('log.title')}
          className="max-h-80 overflow-auto rounded-md border border-line font-mono text-[12px]"
        >
          {lines.map(({ level, time, message, details }, index) => (
            <li key={index} data-testid="log-line" className="flex gap-3 border-b border-soft px-3 py-1 last:border-0">
              <span className="shrink-0 text-muted">{formatMoment(Date.parse(time))}</span>
              <span className={`shrink-0 ${colors[level]}`}>{level}</span>
              <span className="min-w-0 break-words">
                {message} <span className="text-muted">{details}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
