/** Where everything lies. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { Link } from 'wouter'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { formatBytes, formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Skeleton } from '#lib/ui/states.tsx'

export function DataLocations() {
  const { t } = useTranslation()
  const locations = useQuery({ ...api.settings.locations.queryOptions(), staleTime: 10_000 })
  if (locations.error) return <ErrorState error={locations.error} onRetry={() => void locations.refetch()} />
  if (!locations.data) return <Skeleton lines={5} />
  return (
    <div className="flex flex-col gap-3">
      <table className="w-full text-left text-[12px]">
        <thead className="text-muted">
          <tr className="border-b border-line">
            <th className="py-1 font-medium">{t('data.what')}</th>
            <th className="font-medium">{t('data.where')}</th>
            <th className="text-right font-medium">{t('data.files')}</th>
            <th className="text-right font-medium">{t('data.size')}</th>
          </tr>
        </thead>
        <tbody>
          {locations.data.map(({ kind, path, agent, bytes, files, isComplete }) => (
            <tr key={`${kind}/${path}`} data-testid="location" className="border-b border-soft">
              <td className="py-1 pr-4 whitespace-nowrap">
                {t(`data.kind.${kind}`)}
                {agent !== undefined && <span className="text-muted"> · {agent}</span>}
              </td>
              <td className="w-full max-w-0 truncate pr-4 font-mono" title={path}>
                {path}
              </td>
              <td className="tabular text-right">{formatNumber(files)}</td>
              <td className="tabular pl-4 text-right whitespace-nowrap">
                {isComplete ? '' : '≥ '}
                {formatBytes(bytes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Link href={paths.forget()} className="self-start text-accent hover:underline">
        {t('data.forget')}
      </Link>
    </div>
  )
}
