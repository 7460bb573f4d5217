import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Agent, ContextItem, ContextReport } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { formatNumber, formatPercent, formatShort } from '../i18n/format.ts'
import { paths } from '../ui/navigate.ts'
import { ErrorState, Skeleton } from '../ui/states.tsx'
import { ViewHeader } from '../ui/view-header.tsx'
import { ContextBar } from './context-bar.tsx'
import { layerColor, layers } from './layers.ts'

export function ContextView({ agent, session }: { agent: Agent; session?: string }) {
  const { t } = useTranslation()
  const report = useQuery(
    api.context.report.queryOptions({ input: { agent: agent.id, ...(session === undefined ? {} : { session }) } }),
  )
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  const title = sessions.data?.find(({ id }) => id === session)?.title
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('context.title')}
        aside={title === undefined ? t('context.next') : t('context.last', { title })}
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {report.error ? (
          <ErrorState error={report.error} onRetry={() => void report.refetch()} />
        ) : report.data ? (
          <Report report={report.data} />
        ) : (
          <Skeleton lines={8} />
        )}
      </div>
    </section>
  )
}

function Report({ report }: { report: ContextReport }) {
  const { t } = useTranslation()
  return (
    <div className="px-5 pb-8">
      <ContextBar report={report} />
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 pt-3 text-[12px]">
        {layers.map((layer) => {
          const tokens = report.items.reduce((sum, item) => (item.layer === layer ? sum + item.tokens : sum), 0)
          return tokens === 0 ? null : (
            <span key={layer} className="flex items-center gap-1.5">
              <span aria-hidden className="size-2.5 rounded-[3px]" style={{ background: layerColor(layer) }} />
              {t(`context.layers.${layer}`)} <span className="tabular text-muted">{formatShort(tokens)}</span>
            </span>
          )
        })}
        <span className="flex-1" />
        <span className="tabular">
          <strong className="font-semibold">
            {t('context.of', {
              tokens: formatNumber(report.estimatedTokens),
              window: formatNumber(report.contextWindow),
            })}
          </strong>
          {report.reportedTokens !== null && (
            <span className="text-muted">
              {' '}
              · {t('context.provider', { tokens: formatNumber(report.reportedTokens) })}
            </span>
          )}
        </span>
      </div>
      <table className="mt-8 w-full border-collapse text-left">
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            <th className="py-2 font-medium">{t('context.item')}</th>
            <th className="font-medium">{t('context.layer')}</th>
            <th className="text-right font-medium">{t('context.tokens')}</th>
            <th className="pr-6 text-right font-medium">{t('context.share')}</th>
            <th className="font-medium">{t('context.note')}</th>
          </tr>
        </thead>
        <tbody>
          {report.items.map((item) => (
            <Row key={`${item.layer}/${item.name}`} item={item} total={report.estimatedTokens} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ item, total }: { item: ContextItem; total: number }) {
  const { t } = useTranslation()
  const isFile = item.layer === 'project' || item.layer === 'logs'
  return (
    <tr className="border-b border-soft">
      <td className="py-2">
        {isFile ? (
          <Link href={paths.file(item.name)} className="font-mono text-[12px] hover:underline">
            {item.name}
          </Link>
        ) : (
          <ItemName item={item} />
        )}
      </td>
      <td className="text-muted">{t(`context.layers.${item.layer}`)}</td>
      <td className="tabular text-right">{formatNumber(item.tokens)}</td>
      <td className="tabular pr-6 text-right">{formatPercent(total === 0 ? 0 : item.tokens / total)}</td>
      <td className={item.note === 'cut' ? 'text-warning' : 'text-muted'}>
        {item.note &&
          t(`context.${item.note}`, { raw: formatNumber(item.rawCharacters), sent: formatNumber(item.sentCharacters) })}
      </td>
    </tr>
  )
}

/** A few items are named by what they are, the others by a tool's name. */
function ItemName({ item }: { item: ContextItem }) {
  const { t } = useTranslation()
  if (item.layer === 'tools') return <span className="font-mono text-[12px]">{item.name}</span>
  switch (item.name) {
    case 'system prompt':
    case 'tools':
    case 'conversation':
    case 'message':
      return t(`context.name.${item.name}`)
    default:
      return item.name
  }
}
