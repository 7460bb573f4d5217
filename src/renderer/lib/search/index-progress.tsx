import { t } from 'i18next'
import { Loader } from 'lucide-react'
import type { IndexStatus } from '#shared/contract/index.ts'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'

export function IndexProgress({ status }: { status: IndexStatus }) {
  const { units, embedded, provider, state, done, total, etaMs, download, problems } = status
  const isEmbedding = state === 'ready' && provider !== 'none' && embedded < units && problems.length === 0
  const isWorking = state !== 'ready' && state !== 'failed'
  const step = isEmbedding ? 'embedding' : isWorking && (total === 0 ? 'starting' : state)
  const [current, last] = isEmbedding ? [embedded, units] : [done, total]
  const texts = [
    step && t(`status.${step}`, { done: formatNumber(current), total: formatNumber(last) }),
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
